/** SHA-256: FIPS 180-4, section 6.2. */
import { SHA256_BLOCK, SHA256_STATE, SHA256_WORDS } from './scratch'

const BLOCK: usize = 64
const LENGTH_AT: usize = 56

const INITIAL = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])
const CONSTANTS = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])
/** The schedule of the padding block after one whole block, with the constants added: a Merkle tree's hash of two nodes. */
const PADDING_64 = memory.data<u32>([
  0xc28a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf374,
  0x649b69c1, 0xf0fe4786, 0x0fe1edc6, 0x240cf254, 0x4fe9346f, 0x6cc984be, 0x61b9411e, 0x16f988fa,
  0xf2c65152, 0xa88e5a6d, 0xb019fc65, 0xb9d99ec7, 0x9a1231c3, 0xe70eeaa0, 0xfdb1232b, 0xc7353eb0,
  0x3069bad5, 0xcb976d5f, 0x5a0f118f, 0xdc1eeefd, 0x0a35b689, 0xde0b7a04, 0x58f4ca9d, 0xe15d5b16,
  0x007f3e86, 0x37088980, 0xa507ea32, 0x6fab9537, 0x17406110, 0x0d8cd6f1, 0xcdaa3b6d, 0xc0bbbe37,
  0x83613bda, 0xdb48a363, 0x0b02e931, 0x6fd15ca7, 0x521afaca, 0x31338431, 0x6ed41a95, 0x6d437890,
  0xc39c91f2, 0x9eccabbd, 0xb5c9a0e6, 0x532fb63c, 0xd2c741c6, 0x07237ea3, 0xa4954b68, 0x4c191d76,
])

export function sha256(message: usize, length: usize, out: usize): void {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(SHA256_STATE + i, load<u64>(INITIAL + i))
  const end = message + (length & ~(BLOCK - 1))
  for (let at = message; at < end; at += BLOCK) compress(at)
  if (length == BLOCK) {
    compressScheduled(PADDING_64)
    return putHash(out)
  }
  const left = length & (BLOCK - 1)
  clearBlock()
  for (let i: usize = 0; i < left; i++) store<u8>(SHA256_BLOCK + i, load<u8>(end + i))
  store<u8>(SHA256_BLOCK + left, 0x80)
  if (left >= LENGTH_AT) {
    compress(SHA256_BLOCK)
    clearBlock()
  }
  store<u64>(SHA256_BLOCK, bswap<u64>(<u64>length << 3), LENGTH_AT)
  compress(SHA256_BLOCK)
  putHash(out)
}

function putHash(out: usize): void {
  v128.store(out, reversed(SHA256_STATE))
  v128.store(out, reversed(SHA256_STATE + 16), 16)
}

function clearBlock(): void {
  for (let i: usize = 0; i < BLOCK; i += 8) store<u64>(SHA256_BLOCK + i, 0)
}

// @ts-ignore: decorator
@inline
function reversed(at: usize): v128 {
  const words = v128.load(at)
  return v128.shuffle<u8>(words, words, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
}

// @ts-ignore: decorator
@inline
function small0(words: v128): v128 {
  const by7 = v128.xor(i32x4.shr_u(words, 7), i32x4.shl(words, 25))
  const by18 = v128.xor(i32x4.shr_u(words, 18), i32x4.shl(words, 14))
  return v128.xor(v128.xor(by7, by18), i32x4.shr_u(words, 3))
}

/** Each word twice, so that shifts of 64 bits rotate it; the results are in words 0 and 2. */
// @ts-ignore: decorator
@inline
function small1(pairs: v128): v128 {
  return v128.xor(v128.xor(i64x2.shr_u(pairs, 17), i64x2.shr_u(pairs, 19)), i32x4.shr_u(pairs, 10))
}

/** Four words of the schedule from the sixteen before; the upper two depend on the lower two. */
// @ts-ignore: decorator
@inline
function next(w0: v128, w4: v128, w8: v128, w12: v128): v128 {
  const zero = i32x4.splat(0)
  const w9 = v128.shuffle<u32>(w8, w12, 1, 2, 3, 4)
  const sum = i32x4.add(i32x4.add(w0, w9), small0(v128.shuffle<u32>(w0, w4, 1, 2, 3, 4)))
  const low = small1(v128.shuffle<u32>(w12, w12, 2, 2, 3, 3))
  const half = i32x4.add(sum, v128.shuffle<u32>(low, zero, 0, 2, 4, 5))
  const high = small1(v128.shuffle<u32>(half, half, 0, 0, 1, 1))
  return i32x4.add(half, v128.shuffle<u32>(zero, high, 0, 1, 4, 6))
}

// @ts-ignore: decorator
@inline
function sum1(e: u32): u32 {
  return rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)
}

/** Rotates by 2, 13 and 22: fewer instructions, and no later round waits for it as for `sum1`. */
// @ts-ignore: decorator
@inline
function sum0(a: u32): u32 {
  return rotr(rotr(rotr(a, 9) ^ a, 11) ^ a, 2)
}

// @ts-ignore: decorator
@inline
function choice(e: u32, f: u32, g: u32): u32 {
  return g ^ (e & (f ^ g))
}

// @ts-ignore: decorator
@inline
function addToState(offset: usize, value: u32): void {
  store<u32>(SHA256_STATE + offset, load<u32>(SHA256_STATE + offset) + value)
}

/** Computes the schedule between the rounds. A majority is ((a ^ b) & (b ^ c)) ^ b, and its a ^ b is the next round's b ^ c. */
function compress(block: usize): void {
  let w0 = reversed(block), w4 = reversed(block + 16), w8 = reversed(block + 32), w12 = reversed(block + 48)
  v128.store(SHA256_WORDS, i32x4.add(w0, v128.load(CONSTANTS)))
  v128.store(SHA256_WORDS, i32x4.add(w4, v128.load(CONSTANTS, 16)), 16)
  v128.store(SHA256_WORDS, i32x4.add(w8, v128.load(CONSTANTS, 32)), 32)
  v128.store(SHA256_WORDS, i32x4.add(w12, v128.load(CONSTANTS, 48)), 48)
  let a = load<u32>(SHA256_STATE), b = load<u32>(SHA256_STATE, 4), c = load<u32>(SHA256_STATE, 8), d = load<u32>(SHA256_STATE, 12)
  let e = load<u32>(SHA256_STATE, 16), f = load<u32>(SHA256_STATE, 20), g = load<u32>(SHA256_STATE, 24), h = load<u32>(SHA256_STATE, 28)
  let ab: u32, bc = b ^ c
  for (let constant = CONSTANTS + BLOCK; constant < CONSTANTS + 4 * BLOCK; constant += BLOCK) {
    h += load<u32>(SHA256_WORDS) + choice(e, f, g), h += sum1(e), d += h, ab = a ^ b, h += (bc & ab) ^ b, h += sum0(a)
    g += load<u32>(SHA256_WORDS, 4) + choice(d, e, f), g += sum1(d), c += g, bc = h ^ a, g += (ab & bc) ^ a, g += sum0(h)
    f += load<u32>(SHA256_WORDS, 8) + choice(c, d, e), f += sum1(c), b += f, ab = g ^ h, f += (bc & ab) ^ h, f += sum0(g)
    e += load<u32>(SHA256_WORDS, 12) + choice(b, c, d), e += sum1(b), a += e, bc = f ^ g, e += (ab & bc) ^ g, e += sum0(f)
    w0 = next(w0, w4, w8, w12), v128.store(SHA256_WORDS, i32x4.add(w0, v128.load(constant)))
    d += load<u32>(SHA256_WORDS, 16) + choice(a, b, c), d += sum1(a), h += d, ab = e ^ f, d += (bc & ab) ^ f, d += sum0(e)
    c += load<u32>(SHA256_WORDS, 20) + choice(h, a, b), c += sum1(h), g += c, bc = d ^ e, c += (ab & bc) ^ e, c += sum0(d)
    b += load<u32>(SHA256_WORDS, 24) + choice(g, h, a), b += sum1(g), f += b, ab = c ^ d, b += (bc & ab) ^ d, b += sum0(c)
    a += load<u32>(SHA256_WORDS, 28) + choice(f, g, h), a += sum1(f), e += a, bc = b ^ c, a += (ab & bc) ^ c, a += sum0(b)
    w4 = next(w4, w8, w12, w0), v128.store(SHA256_WORDS, i32x4.add(w4, v128.load(constant, 16)), 16)
    h += load<u32>(SHA256_WORDS, 32) + choice(e, f, g), h += sum1(e), d += h, ab = a ^ b, h += (bc & ab) ^ b, h += sum0(a)
    g += load<u32>(SHA256_WORDS, 36) + choice(d, e, f), g += sum1(d), c += g, bc = h ^ a, g += (ab & bc) ^ a, g += sum0(h)
    f += load<u32>(SHA256_WORDS, 40) + choice(c, d, e), f += sum1(c), b += f, ab = g ^ h, f += (bc & ab) ^ h, f += sum0(g)
    e += load<u32>(SHA256_WORDS, 44) + choice(b, c, d), e += sum1(b), a += e, bc = f ^ g, e += (ab & bc) ^ g, e += sum0(f)
    w8 = next(w8, w12, w0, w4), v128.store(SHA256_WORDS, i32x4.add(w8, v128.load(constant, 32)), 32)
    d += load<u32>(SHA256_WORDS, 48) + choice(a, b, c), d += sum1(a), h += d, ab = e ^ f, d += (bc & ab) ^ f, d += sum0(e)
    c += load<u32>(SHA256_WORDS, 52) + choice(h, a, b), c += sum1(h), g += c, bc = d ^ e, c += (ab & bc) ^ e, c += sum0(d)
    b += load<u32>(SHA256_WORDS, 56) + choice(g, h, a), b += sum1(g), f += b, ab = c ^ d, b += (bc & ab) ^ d, b += sum0(c)
    a += load<u32>(SHA256_WORDS, 60) + choice(f, g, h), a += sum1(f), e += a, bc = b ^ c, a += (ab & bc) ^ c, a += sum0(b)
    w12 = next(w12, w0, w4, w8), v128.store(SHA256_WORDS, i32x4.add(w12, v128.load(constant, 48)), 48)
  }
  h += load<u32>(SHA256_WORDS) + choice(e, f, g), h += sum1(e), d += h, ab = a ^ b, h += (bc & ab) ^ b, h += sum0(a)
  g += load<u32>(SHA256_WORDS, 4) + choice(d, e, f), g += sum1(d), c += g, bc = h ^ a, g += (ab & bc) ^ a, g += sum0(h)
  f += load<u32>(SHA256_WORDS, 8) + choice(c, d, e), f += sum1(c), b += f, ab = g ^ h, f += (bc & ab) ^ h, f += sum0(g)
  e += load<u32>(SHA256_WORDS, 12) + choice(b, c, d), e += sum1(b), a += e, bc = f ^ g, e += (ab & bc) ^ g, e += sum0(f)
  d += load<u32>(SHA256_WORDS, 16) + choice(a, b, c), d += sum1(a), h += d, ab = e ^ f, d += (bc & ab) ^ f, d += sum0(e)
  c += load<u32>(SHA256_WORDS, 20) + choice(h, a, b), c += sum1(h), g += c, bc = d ^ e, c += (ab & bc) ^ e, c += sum0(d)
  b += load<u32>(SHA256_WORDS, 24) + choice(g, h, a), b += sum1(g), f += b, ab = c ^ d, b += (bc & ab) ^ d, b += sum0(c)
  a += load<u32>(SHA256_WORDS, 28) + choice(f, g, h), a += sum1(f), e += a, bc = b ^ c, a += (ab & bc) ^ c, a += sum0(b)
  h += load<u32>(SHA256_WORDS, 32) + choice(e, f, g), h += sum1(e), d += h, ab = a ^ b, h += (bc & ab) ^ b, h += sum0(a)
  g += load<u32>(SHA256_WORDS, 36) + choice(d, e, f), g += sum1(d), c += g, bc = h ^ a, g += (ab & bc) ^ a, g += sum0(h)
  f += load<u32>(SHA256_WORDS, 40) + choice(c, d, e), f += sum1(c), b += f, ab = g ^ h, f += (bc & ab) ^ h, f += sum0(g)
  e += load<u32>(SHA256_WORDS, 44) + choice(b, c, d), e += sum1(b), a += e, bc = f ^ g, e += (ab & bc) ^ g, e += sum0(f)
  d += load<u32>(SHA256_WORDS, 48) + choice(a, b, c), d += sum1(a), h += d, ab = e ^ f, d += (bc & ab) ^ f, d += sum0(e)
  c += load<u32>(SHA256_WORDS, 52) + choice(h, a, b), c += sum1(h), g += c, bc = d ^ e, c += (ab & bc) ^ e, c += sum0(d)
  b += load<u32>(SHA256_WORDS, 56) + choice(g, h, a), b += sum1(g), f += b, ab = c ^ d, b += (bc & ab) ^ d, b += sum0(c)
  a += load<u32>(SHA256_WORDS, 60) + choice(f, g, h), a += sum1(f), e += a, bc = b ^ c, a += (ab & bc) ^ c, a += sum0(b)
  addToState(0, a)
  addToState(4, b)
  addToState(8, c)
  addToState(12, d)
  addToState(16, e)
  addToState(20, f)
  addToState(24, g)
  addToState(28, h)
}

/** `words` is a schedule with the constants added. */
function compressScheduled(words: usize): void {
  let a = load<u32>(SHA256_STATE), b = load<u32>(SHA256_STATE, 4), c = load<u32>(SHA256_STATE, 8), d = load<u32>(SHA256_STATE, 12)
  let e = load<u32>(SHA256_STATE, 16), f = load<u32>(SHA256_STATE, 20), g = load<u32>(SHA256_STATE, 24), h = load<u32>(SHA256_STATE, 28)
  let ab: u32, bc = b ^ c
  for (let at = words; at < words + 4 * BLOCK; at += 32) {
    h += load<u32>(at) + choice(e, f, g), h += sum1(e), d += h, ab = a ^ b, h += (bc & ab) ^ b, h += sum0(a)
    g += load<u32>(at, 4) + choice(d, e, f), g += sum1(d), c += g, bc = h ^ a, g += (ab & bc) ^ a, g += sum0(h)
    f += load<u32>(at, 8) + choice(c, d, e), f += sum1(c), b += f, ab = g ^ h, f += (bc & ab) ^ h, f += sum0(g)
    e += load<u32>(at, 12) + choice(b, c, d), e += sum1(b), a += e, bc = f ^ g, e += (ab & bc) ^ g, e += sum0(f)
    d += load<u32>(at, 16) + choice(a, b, c), d += sum1(a), h += d, ab = e ^ f, d += (bc & ab) ^ f, d += sum0(e)
    c += load<u32>(at, 20) + choice(h, a, b), c += sum1(h), g += c, bc = d ^ e, c += (ab & bc) ^ e, c += sum0(d)
    b += load<u32>(at, 24) + choice(g, h, a), b += sum1(g), f += b, ab = c ^ d, b += (bc & ab) ^ d, b += sum0(c)
    a += load<u32>(at, 28) + choice(f, g, h), a += sum1(f), e += a, bc = b ^ c, a += (ab & bc) ^ c, a += sum0(b)
  }
  addToState(0, a)
  addToState(4, b)
  addToState(8, c)
  addToState(12, d)
  addToState(16, e)
  addToState(20, f)
  addToState(24, g)
  addToState(28, h)
}
