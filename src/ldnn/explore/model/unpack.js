// Arrays of the page: one compressed text (see packing.py). Returns a function from references to typed arrays.
"use strict";
window.ldnn ??= {};

ldnn.unpack = async text => {
  const letters = atob(text.trim()), packed = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) packed[k] = letters.charCodeAt(k);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const types = { i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };
  return ({ type, at, length }) => {
    const Type = types[type], width = Type.BYTES_PER_ELEMENT, own = new Uint8Array(width * length);
    // First all first bytes, then all second ones, and so on; the least significant byte is the first.
    for (let byte = 0; byte < width; byte++) {
      for (let k = 0; k < length; k++) own[k * width + byte] = bytes[at + byte * length + k];
    }
    return new Type(own.buffer);
  };
};
