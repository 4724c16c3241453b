/** Compression function F of RFC 7693, section 3.2, with the input and output of EIP-152. */
import { BLAKE2_SCHEDULE as SCHEDULE, BLAKE2_VECTOR as VECTOR } from './scratch'

const STATE_AT: usize = 4
const MESSAGE_AT: usize = 68
const OFFSETS_AT: usize = 196
const FINAL_AT: usize = 212
const STATE_BYTES: usize = 64
/** A multiple of ten; V8 switches to optimized code only when a function is entered. */
const ROUNDS_A_CALL: u32 = 5000

const INITIAL = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
])
const ORDERS = memory.data<u8>([
  0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
  112, 80, 32, 64, 72, 120, 104, 48, 8, 96, 0, 16, 88, 56, 40, 24,
  88, 64, 96, 0, 40, 16, 120, 104, 80, 112, 24, 48, 56, 8, 72, 32,
  56, 72, 24, 8, 104, 96, 88, 112, 16, 48, 40, 80, 32, 0, 120, 64,
  72, 0, 40, 56, 16, 32, 80, 120, 112, 8, 88, 96, 48, 64, 24, 104,
  16, 96, 48, 80, 0, 88, 64, 24, 32, 104, 56, 40, 120, 112, 8, 72,
  96, 40, 8, 120, 112, 104, 32, 80, 0, 56, 48, 24, 72, 16, 64, 88,
  104, 88, 56, 112, 96, 8, 24, 72, 40, 0, 120, 32, 64, 48, 16, 80,
  48, 120, 112, 72, 88, 24, 0, 64, 96, 16, 104, 56, 8, 32, 80, 40,
  80, 16, 64, 32, 56, 48, 8, 40, 120, 88, 72, 112, 24, 96, 104, 0,
])
const ORDER_COUNT: usize = 160
const SCHEDULE_END = SCHEDULE + 8 * ORDER_COUNT

/** Takes 213 bytes whose last is 0 or 1; `out` gets 64 bytes and must not overlap the input. */
export function blake2f(input: usize, out: usize): void {
  for (let i: usize = 0; i < STATE_BYTES; i += 8) {
    store<u64>(VECTOR + i, load<u64>(input + STATE_AT + i))
    store<u64>(VECTOR + STATE_BYTES + i, load<u64>(INITIAL + i))
  }
  flip(96, load<u64>(input, OFFSETS_AT))
  flip(104, load<u64>(input, OFFSETS_AT + 8))
  if (load<u8>(input, FINAL_AT) != 0) flip(112, u64.MAX_VALUE)
  for (let i: usize = 0; i < ORDER_COUNT; i++) {
    store<u64>(SCHEDULE + 8 * i, load<u64>(input + MESSAGE_AT + <usize>load<u8>(ORDERS + i)))
  }
  let left = bswap(load<u32>(input))
  while (left > ROUNDS_A_CALL) {
    mix(ROUNDS_A_CALL)
    left -= ROUNDS_A_CALL
  }
  mix(left)
  for (let i: usize = 0; i < STATE_BYTES; i += 8) {
    store<u64>(out + i, load<u64>(input + STATE_AT + i) ^ load<u64>(VECTOR + i) ^ load<u64>(VECTOR + STATE_BYTES + i))
  }
}

// @ts-ignore: decorator
@inline
function flip(offset: usize, bits: u64): void {
  store<u64>(VECTOR + offset, load<u64>(VECTOR + offset) ^ bits)
}

/** Adds message words first, because b is on the longest dependency chain. */
function mix(rounds: u32): void {
  let v0 = load<u64>(VECTOR, 0), v1 = load<u64>(VECTOR, 8), v2 = load<u64>(VECTOR, 16), v3 = load<u64>(VECTOR, 24)
  let v4 = load<u64>(VECTOR, 32), v5 = load<u64>(VECTOR, 40), v6 = load<u64>(VECTOR, 48), v7 = load<u64>(VECTOR, 56)
  let v8 = load<u64>(VECTOR, 64), v9 = load<u64>(VECTOR, 72), v10 = load<u64>(VECTOR, 80), v11 = load<u64>(VECTOR, 88)
  let v12 = load<u64>(VECTOR, 96), v13 = load<u64>(VECTOR, 104), v14 = load<u64>(VECTOR, 112), v15 = load<u64>(VECTOR, 120)
  let words = SCHEDULE
  for (let left = rounds; left > 0; left--) {
    v0 = v0 + load<u64>(words) + v4, v12 = rotr(v12 ^ v0, 32), v8 += v12, v4 = rotr(v4 ^ v8, 24)
    v1 = v1 + load<u64>(words, 16) + v5, v13 = rotr(v13 ^ v1, 32), v9 += v13, v5 = rotr(v5 ^ v9, 24)
    v2 = v2 + load<u64>(words, 32) + v6, v14 = rotr(v14 ^ v2, 32), v10 += v14, v6 = rotr(v6 ^ v10, 24)
    v3 = v3 + load<u64>(words, 48) + v7, v15 = rotr(v15 ^ v3, 32), v11 += v15, v7 = rotr(v7 ^ v11, 24)
    v0 = v0 + load<u64>(words, 8) + v4, v12 = rotr(v12 ^ v0, 16), v8 += v12, v4 = rotr(v4 ^ v8, 63)
    v1 = v1 + load<u64>(words, 24) + v5, v13 = rotr(v13 ^ v1, 16), v9 += v13, v5 = rotr(v5 ^ v9, 63)
    v2 = v2 + load<u64>(words, 40) + v6, v14 = rotr(v14 ^ v2, 16), v10 += v14, v6 = rotr(v6 ^ v10, 63)
    v3 = v3 + load<u64>(words, 56) + v7, v15 = rotr(v15 ^ v3, 16), v11 += v15, v7 = rotr(v7 ^ v11, 63)
    v0 = v0 + load<u64>(words, 64) + v5, v15 = rotr(v15 ^ v0, 32), v10 += v15, v5 = rotr(v5 ^ v10, 24)
    v1 = v1 + load<u64>(words, 80) + v6, v12 = rotr(v12 ^ v1, 32), v11 += v12, v6 = rotr(v6 ^ v11, 24)
    v2 = v2 + load<u64>(words, 96) + v7, v13 = rotr(v13 ^ v2, 32), v8 += v13, v7 = rotr(v7 ^ v8, 24)
    v3 = v3 + load<u64>(words, 112) + v4, v14 = rotr(v14 ^ v3, 32), v9 += v14, v4 = rotr(v4 ^ v9, 24)
    v0 = v0 + load<u64>(words, 72) + v5, v15 = rotr(v15 ^ v0, 16), v10 += v15, v5 = rotr(v5 ^ v10, 63)
    v1 = v1 + load<u64>(words, 88) + v6, v12 = rotr(v12 ^ v1, 16), v11 += v12, v6 = rotr(v6 ^ v11, 63)
    v2 = v2 + load<u64>(words, 104) + v7, v13 = rotr(v13 ^ v2, 16), v8 += v13, v7 = rotr(v7 ^ v8, 63)
    v3 = v3 + load<u64>(words, 120) + v4, v14 = rotr(v14 ^ v3, 16), v9 += v14, v4 = rotr(v4 ^ v9, 63)
    words += 128
    if (words == SCHEDULE_END) words = SCHEDULE
  }
  store<u64>(VECTOR, v0, 0), store<u64>(VECTOR, v1, 8)
  store<u64>(VECTOR, v2, 16), store<u64>(VECTOR, v3, 24)
  store<u64>(VECTOR, v4, 32), store<u64>(VECTOR, v5, 40)
  store<u64>(VECTOR, v6, 48), store<u64>(VECTOR, v7, 56)
  store<u64>(VECTOR, v8, 64), store<u64>(VECTOR, v9, 72)
  store<u64>(VECTOR, v10, 80), store<u64>(VECTOR, v11, 88)
  store<u64>(VECTOR, v12, 96), store<u64>(VECTOR, v13, 104)
  store<u64>(VECTOR, v14, 112), store<u64>(VECTOR, v15, 120)
}
