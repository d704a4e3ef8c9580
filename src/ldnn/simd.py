"""Eight float32 numbers as one value inside Numba code.

Left to itself, the compiler vectorises the short loops over discriminants badly: it checks the arrays for overlap again
for every feature and handles the last columns one by one. Here the loops say what they mean: eight columns at a time,
sums kept in registers. LLVM turns the eight lanes into whatever the processor has (one AVX register, two of NEON, ...).

Numba's disk cache watches the file of the calling kernel only: after a change in this file, touch the kernels' files.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import intrinsic, lower_builtin, register_model, type_callable

LANES = 8


def whole_vectors(count: int) -> int:
    """A number of columns, rounded up to whole vectors."""
    return -(-count // LANES) * LANES


_I8_POINTER = ir.IntType(8).as_pointer()
_I32 = ir.IntType(32)
_INTEGERS = ir.VectorType(_I32, LANES)
_VECTOR = ir.VectorType(ir.FloatType(), LANES)


class Float32x8(types.Type):
    """The Numba type of eight float32 lanes."""

    def __init__(self):
        super().__init__(name="float32x8")


float32x8 = Float32x8()


@register_model(Float32x8)
class _Float32x8Model(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, _VECTOR)


def _define_operator(python_operator, instruction):
    """Lane by lane +, -, *, /; "contract" lets the compiler fuse a product and a sum."""

    @type_callable(python_operator)
    def _typing(context):
        def typer(left, right):
            if isinstance(left, Float32x8) and isinstance(right, Float32x8):
                return float32x8
            return None

        return typer

    @lower_builtin(python_operator, Float32x8, Float32x8)
    def _lowering(context, builder, signature, args):
        return getattr(builder, instruction)(*args, flags=("contract",))


for _operator, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define_operator(_operator, _instruction)


def _element(context, builder, array_type, array, offset):
    """The address of an element, counted through the whole C-ordered array."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [offset])


def _pointer(context, builder, signature, args):
    """The address of element args[1] of the array args[0]."""
    return _element(context, builder, signature.args[0], *args[:2])


def _splat(builder, scalar):
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, scalar, _I32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(_INTEGERS, [0] * LANES))


def _call(builder, name, result, args):
    function_type = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), args)


@intrinsic
def load(typing_context, array, offset):
    """The eight elements of a C-contiguous float32 array from `offset` on."""

    def lower(context, builder, signature, args):
        pointer = builder.bitcast(_pointer(context, builder, signature, args), _VECTOR.as_pointer())
        return builder.load(pointer, align=4)

    return float32x8(array, types.intp), lower


@intrinsic
def store(typing_context, array, offset, vector):
    """Write eight lanes to a C-contiguous float32 array from `offset` on."""

    def lower(context, builder, signature, args):
        pointer = builder.bitcast(_pointer(context, builder, signature, args), _VECTOR.as_pointer())
        builder.store(args[2], pointer, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, float32x8), lower


@intrinsic
def prefetch(typing_context, array, offset):
    """Ask for the cache line of element `offset`, which is needed soon; the answer is not waited for."""

    def lower(context, builder, signature, args):
        pointer = builder.bitcast(_pointer(context, builder, signature, args), _I8_POINTER)
        _call(builder, "llvm.prefetch.p0i8", ir.VoidType(), [pointer, _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), lower


@intrinsic
def splat(typing_context, scalar):
    """One float32 in all lanes."""

    def lower(context, builder, signature, args):
        return _splat(builder, args[0])

    return float32x8(types.float32), lower


@intrinsic
def load_splat(typing_context, array, offset):
    """Element `offset` of a C-contiguous float32 array in all lanes. Less to compile than splat(array[i, j])."""

    def lower(context, builder, signature, args):
        return _splat(builder, builder.load(_pointer(context, builder, signature, args), align=4))

    return float32x8(array, types.intp), lower


@intrinsic
def multiply_add(typing_context, a, b, c):
    """A * b + c, fused where the processor can."""

    def lower(context, builder, signature, args):
        return _call(builder, "llvm.fmuladd.v8f32", _VECTOR, args)

    return float32x8(float32x8, float32x8, float32x8), lower


@intrinsic
def accumulate(typing_context, total, scalars, index, vectors, offset):
    """Total + scalars[index] * (the eight elements of `vectors` from `offset` on): a step of a matrix product.

    One statement to compile instead of three, and the kernels consist of such steps.
    """

    def lower(context, builder, signature, args):
        _, of_scalars, _, of_vectors, _ = signature.args
        scalar = _element(context, builder, of_scalars, args[1], args[2])
        vector = builder.bitcast(_element(context, builder, of_vectors, args[3], args[4]), _VECTOR.as_pointer())
        factors = [_splat(builder, builder.load(scalar, align=4)), builder.load(vector, align=4)]
        return _call(builder, "llvm.fmuladd.v8f32", _VECTOR, [*factors, args[0]])

    return float32x8(float32x8, scalars, types.intp, vectors, types.intp), lower


@intrinsic
def smaller(typing_context, a, b):
    """The smaller of two numbers in each lane."""

    def lower(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered("<", *args), *args)

    return float32x8(float32x8, float32x8), lower


@intrinsic
def clip(typing_context, vector, bound):
    """Each lane limited to [-bound, bound]; NaN becomes the bound."""

    def lower(context, builder, signature, args):
        upper = _splat(builder, args[1])
        lower_ = builder.fneg(upper)
        vector = builder.select(builder.fcmp_ordered("<", args[0], upper), args[0], upper)
        return builder.select(builder.fcmp_ordered(">", vector, lower_), vector, lower_)

    return float32x8(float32x8, types.float32), lower


@intrinsic
def times_power_of_two(typing_context, vector, shifted):
    """vector * 2**n, straight in the bits of the exponent; `shifted` is the whole number n plus 1.5 * 2**23.

    Such a float32 holds n in its lowest bits, which is also how the rounding to a whole number was done.
    """

    def lower(context, builder, signature, args):
        exponent = builder.shl(builder.bitcast(args[1], _INTEGERS), ir.Constant(_INTEGERS, [23] * LANES))
        return builder.bitcast(builder.add(builder.bitcast(args[0], _INTEGERS), exponent), _VECTOR)

    return float32x8(float32x8, float32x8), lower


@intrinsic
def product(typing_context, vector):
    """The product of the eight lanes."""

    def lower(context, builder, signature, args):
        vector = args[0]
        for distance in (4, 2, 1):  # fold the upper half onto the lower one, three times
            order = [(lane + distance) % LANES for lane in range(LANES)]
            vector = builder.fmul(vector, builder.shuffle_vector(vector, vector, ir.Constant(_INTEGERS, order)))
        return builder.extract_element(vector, _I32(0))

    return types.float32(float32x8), lower


@intrinsic
def lanes_beyond(typing_context, vector, bound):
    """A bit mask of the lanes outside [-bound, bound]; lane 0 is the lowest bit."""

    def lower(context, builder, signature, args):
        upper = _splat(builder, args[1])
        is_above = builder.fcmp_ordered(">", args[0], upper)
        is_below = builder.fcmp_ordered("<", args[0], builder.fneg(upper))
        bits = builder.bitcast(builder.or_(is_above, is_below), ir.IntType(LANES))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(float32x8, types.float32), lower


@intrinsic
def lowest_bit(typing_context, mask):
    """The number of the lowest bit that is set in an int64 other than 0."""

    def lower(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.int64), lower
