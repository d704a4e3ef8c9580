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
LARGEST = 1e37  # of `joined`, which stays finite: infinity times 0 would be NaN


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
    undefined = ir.Constant(ir.VectorType(scalar.type, LANES), ir.Undefined)
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
def from_lane(typing_context, vector, first, other):
    """The lanes of `vector`, but from number `first` on (it may be below 0, or beyond the last) those of `other`."""

    def lower(context, builder, signature, args):
        bound = _splat(builder, builder.trunc(args[1], _I32))
        is_before = builder.icmp_signed("<", ir.Constant(_INTEGERS, list(range(LANES))), bound)
        return builder.select(is_before, args[0], args[2])

    return float32x8(float32x8, types.int64, float32x8), lower


def _joined(builder, a, b):
    sum_ = builder.fadd(a, b)
    joined = _call(builder, "llvm.fmuladd.v8f32", _VECTOR, [a, b, sum_])
    largest = ir.Constant(_VECTOR, [LARGEST] * LANES)
    return builder.select(builder.fcmp_ordered("<", joined, largest), joined, largest)


@intrinsic
def joined(typing_context, a, b):
    """(1 + a)(1 + b) - 1 without a difference: a + b + a b, at most `LARGEST`."""

    def lower(context, builder, signature, args):
        return _joined(builder, *args)

    return float32x8(float32x8, float32x8), lower


@intrinsic
def joined_lanes(typing_context, a, b, c, d, e, f, g, h):
    """The eight lanes of a joined to one number, as by `joined`, those of b to the next, ...: a vector of the eight.

    Each turn interleaves pairs of vectors, so that half as many are left: the lanes to be joined with each other lie
    first 1, then 2, then 4 lanes apart.
    """

    def lower(context, builder, signature, args):
        vectors = list(args)
        for distance in (1, 2, 4):
            near = [lane for lane in range(LANES) if lane // distance % 2 == 0]
            runs = [near[start : start + distance] for start in range(0, len(near), distance)]
            first = [lane + vector * LANES for run in runs for vector in range(2) for lane in run]
            second = [lane + distance for lane in first]
            vectors = [
                _joined(builder, *(builder.shuffle_vector(*pair, ir.Constant(_INTEGERS, o)) for o in (first, second)))
                for pair in zip(vectors[::2], vectors[1::2], strict=True)
            ]
        return vectors[0]

    return float32x8(*[float32x8] * LANES), lower


@intrinsic(prefer_literal=True)
def rotated(typing_context, vector, distance):
    """The lanes moved down by a distance known when this is compiled; the lowest ones follow after the highest."""
    order = [(lane + distance.literal_value) % LANES for lane in range(LANES)]

    def lower(context, builder, signature, args):
        return builder.shuffle_vector(args[0], args[0], ir.Constant(_INTEGERS, order))

    return float32x8(float32x8, distance), lower


@intrinsic
def first_lane(typing_context, vector):
    """The number in lane 0."""

    def lower(context, builder, signature, args):
        return builder.extract_element(args[0], _I32(0))

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
