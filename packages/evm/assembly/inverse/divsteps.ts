/**
 * Inverses modulo an odd number by division steps (eprint 2019/266): thirty steps on low bits give a matrix, which is applied to
 * numbers of signed 30-bit limbs. The time depends on the value.
 */
const BITS: i32 = 30
const MASK: i64 = 0x3fffffff
const MAX_LIMBS: usize = 13

const F: usize = memory.data(64, 16)
const G: usize = memory.data(64, 16)
const D: usize = memory.data(64, 16)
const E: usize = memory.data(64, 16)

// The matrix, whose entries are at most 2^30.
let u: i32 = 0
let v: i32 = 0
let q: i32 = 0
let r: i32 = 0

// @ts-ignore: decorator
@inline
function at(number: usize, i: usize): i64 {
  return <i64>load<i32>(number + (i << 2))
}

// @ts-ignore: decorator
@inline
function put(number: usize, i: usize, value: i64): void {
  store<i32>(number + (i << 2), <i32>value)
}

/**
 * Writes the inverse of x, from 1 to `modulus` less one, or zero for zero. Numbers have `count` limbs, at most 13, which leave
 * two bits; `inverse` is that of the modulus modulo 2^30.
 */
export function invertModulo(out: usize, x: usize, modulus: usize, inverse: i64, count: usize): void {
  memory.copy(F, modulus, count << 2)
  memory.copy(G, x, count << 2)
  memory.fill(D, 0, MAX_LIMBS << 2)
  memory.fill(E, 0, MAX_LIMBS << 2)
  store<i32>(E, 1)
  let balance: i32 = -1
  while (!isZero(G, count)) {
    balance = steps(balance, load<i32>(F) | (load<i32>(F, 4) << BITS), load<i32>(G) | (load<i32>(G, 4) << BITS))
    applyModulo(modulus, inverse, count)
    apply(count)
  }
  const negative = load<i32>(F + ((count - 1) << 2)) < 0
  finish(out, modulus, negative, count)
}

function isZero(number: usize, count: usize): bool {
  let any: i32 = 0
  for (let i: usize = 0; i < count; i++) any |= load<i32>(number + (i << 2))
  return any == 0
}

/** Thirty steps on the low 32 bits of f and g; `balance` is minus the paper's delta. */
function steps(balance: i32, f: i32, g: i32): i32 {
  let a: i32 = 1, b: i32 = 0, c: i32 = 0, d: i32 = 1
  let left = BITS
  while (true) {
    const zeros = ctz(g | (-1 << left))
    g >>= zeros
    a <<= zeros
    b <<= zeros
    balance -= zeros
    left -= zeros
    if (left == 0) break
    if (balance < 0) {
      balance = -balance
      const oldF = f
      f = g
      g = -oldF
      const oldA = a
      a = c
      c = -oldA
      const oldB = b
      b = d
      d = -oldB
    }
    // A multiple of f clears up to six low bits of g at once, as many as steps before the next exchange.
    const limit = min<i32>(balance + 1, left)
    const bits = limit >= 6 ? 63 : (1 << limit) - 1
    const multiple = (f * g * (f * f - 2)) & bits
    g += f * multiple
    c += a * multiple
    d += b * multiple
  }
  u = a
  v = b
  q = c
  r = d
  return balance
}

/** (f, g) = matrix (f, g) / 2^30. */
function apply(count: usize): void {
  const wideU = <i64>u, wideV = <i64>v, wideQ = <i64>q, wideR = <i64>r
  let f = at(F, 0), g = at(G, 0)
  let carryF = (wideU * f + wideV * g) >> BITS
  let carryG = (wideQ * f + wideR * g) >> BITS
  for (let i: usize = 1; i < count; i++) {
    f = at(F, i)
    g = at(G, i)
    carryF += wideU * f + wideV * g
    carryG += wideQ * f + wideR * g
    put(F, i - 1, carryF & MASK)
    put(G, i - 1, carryG & MASK)
    carryF >>= BITS
    carryG >>= BITS
  }
  put(F, count - 1, carryF)
  put(G, count - 1, carryG)
}

/** (d, e) = matrix (d, e) / 2^30 modulo the modulus, between minus twice the modulus and the modulus. */
function applyModulo(modulus: usize, inverse: i64, count: usize): void {
  const wideU = <i64>u, wideV = <i64>v, wideQ = <i64>q, wideR = <i64>r
  const signD = load<i32>(D + ((count - 1) << 2)) >> 31
  const signE = load<i32>(E + ((count - 1) << 2)) >> 31
  let multipleD = <i64>((u & signD) + (v & signE))
  let multipleE = <i64>((q & signD) + (r & signE))
  let d = at(D, 0), e = at(E, 0)
  let carryD = wideU * d + wideV * e
  let carryE = wideQ * d + wideR * e
  multipleD -= (inverse * carryD + multipleD) & MASK
  multipleE -= (inverse * carryE + multipleE) & MASK
  carryD = (carryD + at(modulus, 0) * multipleD) >> BITS
  carryE = (carryE + at(modulus, 0) * multipleE) >> BITS
  for (let i: usize = 1; i < count; i++) {
    d = at(D, i)
    e = at(E, i)
    const m = at(modulus, i)
    carryD += wideU * d + wideV * e + m * multipleD
    carryE += wideQ * d + wideR * e + m * multipleE
    put(D, i - 1, carryD & MASK)
    put(E, i - 1, carryE & MASK)
    carryD >>= BITS
    carryE >>= BITS
  }
  put(D, count - 1, carryD)
  put(E, count - 1, carryE)
}

/** The inverse is d or -d, to which the modulus is added until it is positive. */
function finish(out: usize, modulus: usize, negative: bool, count: usize): void {
  const factor: i64 = negative ? -1 : 1
  let sum: i64 = 0
  for (let i: usize = 0; i < count; i++) {
    sum += factor * at(D, i)
    put(out, i, i == count - 1 ? sum : sum & MASK)
    sum >>= BITS
  }
  while (load<i32>(out + ((count - 1) << 2)) < 0) addMultiple(out, modulus, 1, count)
  addMultiple(out, modulus, -1, count)
  if (load<i32>(out + ((count - 1) << 2)) < 0) addMultiple(out, modulus, 1, count)
}

function addMultiple(number: usize, modulus: usize, factor: i64, count: usize): void {
  let sum: i64 = 0
  for (let i: usize = 0; i < count; i++) {
    sum += at(number, i) + factor * at(modulus, i)
    put(number, i, i == count - 1 ? sum : sum & MASK)
    sum >>= BITS
  }
}

/** Copies a number to limbs of another width; neither is wider than 30 bits. */
export function changeLimbs(to: usize, toBits: u64, toCount: usize, from: usize, fromBits: u64, fromCount: usize): void {
  let value: u64 = 0
  let bits: u64 = 0
  let i: usize = 0
  for (let j: usize = 0; j < toCount; j++) {
    while (bits < toBits && i < fromCount) {
      value |= <u64>load<u32>(from + (i << 2)) << bits
      bits += fromBits
      i++
    }
    store<u32>(to + (j << 2), <u32>(value & ((1 << toBits) - 1)))
    value >>= toBits
    bits = bits < toBits ? 0 : bits - toBits
  }
}
