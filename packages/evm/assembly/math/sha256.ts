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
const LAST_CONSTANTS = CONSTANTS + 48 * 4

export function sha256(message: usize, length: usize, out: usize): void {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(SHA256_STATE + i, load<u64>(INITIAL + i))
  const end = message + (length & ~(BLOCK - 1))
  for (let at = message; at < end; at += BLOCK) compress(at)
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
  for (let i: usize = 0; i < 32; i += 4) store<u32>(out + i, bswap(load<u32>(SHA256_STATE + i)))
}

function clearBlock(): void {
  for (let i: usize = 0; i < BLOCK; i += 8) store<u64>(SHA256_BLOCK + i, 0)
}

/** Adds e last, because the next round waits for it. */
// @ts-ignore: decorator
@inline
function sum(e: u32, rest: u32): u32 {
  return rest + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25))
}

// @ts-ignore: decorator
@inline
function choice(e: u32, f: u32, g: u32): u32 {
  return g ^ (e & (f ^ g))
}

// @ts-ignore: decorator
@inline
function majority(a: u32, b: u32, c: u32): u32 {
  return (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)))
}

// @ts-ignore: decorator
@inline
function schedule(at: usize, at1: usize, at9: usize, at14: usize): void {
  const first = load<u32>(at1)
  const last = load<u32>(at14)
  const small0 = rotr(first, 7) ^ rotr(first, 18) ^ (first >> 3)
  const small1 = rotr(last, 17) ^ rotr(last, 19) ^ (last >> 10)
  store<u32>(at, load<u32>(at) + small0 + load<u32>(at9) + small1)
}

// @ts-ignore: decorator
@inline
function addToState(offset: usize, value: u32): void {
  store<u32>(SHA256_STATE + offset, load<u32>(SHA256_STATE + offset) + value)
}

function compress(block: usize): void {
  for (let i: usize = 0; i < BLOCK; i += 4) store<u32>(SHA256_WORDS + i, bswap(load<u32>(block + i)))
  let a = load<u32>(SHA256_STATE), b = load<u32>(SHA256_STATE, 4), c = load<u32>(SHA256_STATE, 8), d = load<u32>(SHA256_STATE, 12)
  let e = load<u32>(SHA256_STATE, 16), f = load<u32>(SHA256_STATE, 20), g = load<u32>(SHA256_STATE, 24), h = load<u32>(SHA256_STATE, 28)
  let constant = CONSTANTS
  while (true) {
    h = sum(e, h + load<u32>(constant) + load<u32>(SHA256_WORDS) + choice(e, f, g)), d += h, h += majority(a, b, c)
    g = sum(d, g + load<u32>(constant, 4) + load<u32>(SHA256_WORDS, 4) + choice(d, e, f)), c += g, g += majority(h, a, b)
    f = sum(c, f + load<u32>(constant, 8) + load<u32>(SHA256_WORDS, 8) + choice(c, d, e)), b += f, f += majority(g, h, a)
    e = sum(b, e + load<u32>(constant, 12) + load<u32>(SHA256_WORDS, 12) + choice(b, c, d)), a += e, e += majority(f, g, h)
    d = sum(a, d + load<u32>(constant, 16) + load<u32>(SHA256_WORDS, 16) + choice(a, b, c)), h += d, d += majority(e, f, g)
    c = sum(h, c + load<u32>(constant, 20) + load<u32>(SHA256_WORDS, 20) + choice(h, a, b)), g += c, c += majority(d, e, f)
    b = sum(g, b + load<u32>(constant, 24) + load<u32>(SHA256_WORDS, 24) + choice(g, h, a)), f += b, b += majority(c, d, e)
    a = sum(f, a + load<u32>(constant, 28) + load<u32>(SHA256_WORDS, 28) + choice(f, g, h)), e += a, a += majority(b, c, d)
    h = sum(e, h + load<u32>(constant, 32) + load<u32>(SHA256_WORDS, 32) + choice(e, f, g)), d += h, h += majority(a, b, c)
    g = sum(d, g + load<u32>(constant, 36) + load<u32>(SHA256_WORDS, 36) + choice(d, e, f)), c += g, g += majority(h, a, b)
    f = sum(c, f + load<u32>(constant, 40) + load<u32>(SHA256_WORDS, 40) + choice(c, d, e)), b += f, f += majority(g, h, a)
    e = sum(b, e + load<u32>(constant, 44) + load<u32>(SHA256_WORDS, 44) + choice(b, c, d)), a += e, e += majority(f, g, h)
    d = sum(a, d + load<u32>(constant, 48) + load<u32>(SHA256_WORDS, 48) + choice(a, b, c)), h += d, d += majority(e, f, g)
    c = sum(h, c + load<u32>(constant, 52) + load<u32>(SHA256_WORDS, 52) + choice(h, a, b)), g += c, c += majority(d, e, f)
    b = sum(g, b + load<u32>(constant, 56) + load<u32>(SHA256_WORDS, 56) + choice(g, h, a)), f += b, b += majority(c, d, e)
    a = sum(f, a + load<u32>(constant, 60) + load<u32>(SHA256_WORDS, 60) + choice(f, g, h)), e += a, a += majority(b, c, d)
    if (constant == LAST_CONSTANTS) break
    constant += BLOCK
    schedule(SHA256_WORDS + 0, SHA256_WORDS + 4, SHA256_WORDS + 36, SHA256_WORDS + 56)
    schedule(SHA256_WORDS + 4, SHA256_WORDS + 8, SHA256_WORDS + 40, SHA256_WORDS + 60)
    schedule(SHA256_WORDS + 8, SHA256_WORDS + 12, SHA256_WORDS + 44, SHA256_WORDS + 0)
    schedule(SHA256_WORDS + 12, SHA256_WORDS + 16, SHA256_WORDS + 48, SHA256_WORDS + 4)
    schedule(SHA256_WORDS + 16, SHA256_WORDS + 20, SHA256_WORDS + 52, SHA256_WORDS + 8)
    schedule(SHA256_WORDS + 20, SHA256_WORDS + 24, SHA256_WORDS + 56, SHA256_WORDS + 12)
    schedule(SHA256_WORDS + 24, SHA256_WORDS + 28, SHA256_WORDS + 60, SHA256_WORDS + 16)
    schedule(SHA256_WORDS + 28, SHA256_WORDS + 32, SHA256_WORDS + 0, SHA256_WORDS + 20)
    schedule(SHA256_WORDS + 32, SHA256_WORDS + 36, SHA256_WORDS + 4, SHA256_WORDS + 24)
    schedule(SHA256_WORDS + 36, SHA256_WORDS + 40, SHA256_WORDS + 8, SHA256_WORDS + 28)
    schedule(SHA256_WORDS + 40, SHA256_WORDS + 44, SHA256_WORDS + 12, SHA256_WORDS + 32)
    schedule(SHA256_WORDS + 44, SHA256_WORDS + 48, SHA256_WORDS + 16, SHA256_WORDS + 36)
    schedule(SHA256_WORDS + 48, SHA256_WORDS + 52, SHA256_WORDS + 20, SHA256_WORDS + 40)
    schedule(SHA256_WORDS + 52, SHA256_WORDS + 56, SHA256_WORDS + 24, SHA256_WORDS + 44)
    schedule(SHA256_WORDS + 56, SHA256_WORDS + 60, SHA256_WORDS + 28, SHA256_WORDS + 48)
    schedule(SHA256_WORDS + 60, SHA256_WORDS + 0, SHA256_WORDS + 32, SHA256_WORDS + 52)
  }
  addToState(0, a), addToState(4, b), addToState(8, c), addToState(12, d)
  addToState(16, e), addToState(20, f), addToState(24, g), addToState(28, h)
}
