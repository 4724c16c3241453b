/**
 * Keccak-256 with Ethereum's padding (FIPS 202, sections 3.2 and 4, without domain bits 01). Lanes 1, 2, 8, 12, 17 and 20 stay
 * complemented between permutations (Keccak implementation overview, section 2.2).
 */
import { KECCAK_OTHER as ODD, KECCAK_STATE as EVEN } from './scratch'
import { putWord } from './word'

const RATE: usize = 136
const LAST_LANE = EVEN + RATE - 8

const ROUND_CONSTANTS = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
  0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
  0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
  0x000000000000800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
])
const CONSTANTS_END = ROUND_CONSTANTS + 24 * 8

export function keccak256(message: usize, length: usize, out: usize): void {
  beginKeccak()
  finishKeccak(message, length, out)
}

export function keccak256Word(message: usize, length: usize, out: usize): void {
  if (length == 0) {
    putWord(out, 0x7bfad8045d85a470, 0xe500b653ca82273b, 0x927e7db2dcc703c0, 0xc5d2460186f7233c)
    return
  }
  beginKeccak()
  absorbLast(message, length)
  const high = bswap(load<u64>(EVEN))
  const middle = bswap(~load<u64>(EVEN, 8))
  putWord(out, bswap(load<u64>(EVEN, 24)), bswap(~load<u64>(EVEN, 16)), middle, high)
}

/** `length` is a multiple of 136. */
export function absorbBlocks(message: usize, length: usize): void {
  for (let at = message; at < message + length; at += RATE) {
    for (let i: usize = 0; i < RATE; i += 8) absorbLane(i, load<u64>(at + i))
    permute()
  }
}

export function finishKeccak(message: usize, length: usize, out: usize): void {
  absorbLast(message, length)
  putWord(out, load<u64>(EVEN), ~load<u64>(EVEN, 8), ~load<u64>(EVEN, 16), load<u64>(EVEN, 24))
}

function absorbLast(message: usize, length: usize): void {
  let at = message
  let left = length
  while (left >= RATE) {
    absorbBlocks(at, RATE)
    at += RATE
    left -= RATE
  }
  const whole = left & ~7
  for (let i: usize = 0; i < whole; i += 8) absorbLane(i, load<u64>(at + i))
  absorbLane(whole, lastBytes(at + whole, left - whole, length))
  store<u64>(LAST_LANE, load<u64>(LAST_LANE) ^ 0x8000000000000000)
  permute()
}

// @ts-ignore: decorator
@inline
function absorbLane(offset: usize, lane: u64): void {
  store<u64>(EVEN + offset, load<u64>(EVEN + offset) ^ lane)
}

// @ts-ignore: decorator
@inline
function lastBytes(at: usize, count: usize, length: usize): u64 {
  const bits = <u64>count << 3
  const padding = <u64>1 << bits
  if (count == 0) return padding
  if (length >= 8) return (load<u64>(at + count - 8) >> (64 - bits)) | padding
  let bytes = padding
  for (let i: usize = 0; i < count; i++) bytes |= <u64>load<u8>(at + i) << (<u64>i << 3)
  return bytes
}

// @ts-ignore: decorator
@inline
function putLanes(lane: usize, first: u64, second: u64): void {
  store<u64>(EVEN + 8 * lane, first)
  store<u64>(EVEN + 8 * lane, second, 8)
}

export function beginKeccak(): void {
  putLanes(0, 0, -1)
  putLanes(2, -1, 0)
  putLanes(4, 0, 0)
  putLanes(6, 0, 0)
  putLanes(8, -1, 0)
  putLanes(10, 0, 0)
  putLanes(12, -1, 0)
  putLanes(14, 0, 0)
  putLanes(16, 0, -1)
  putLanes(18, 0, 0)
  putLanes(20, -1, 0)
  putLanes(22, 0, 0)
  store<u64>(EVEN + 192, 0)
}

// @ts-ignore: decorator
@inline
function turned(lane: usize, parity: u64, bits: u64): u64 {
  return rotl(load<u64>(lane) ^ parity, bits)
}

// @ts-ignore: decorator
@inline
function put(lane: usize, value: u64): u64 {
  store<u64>(lane, value)
  return value
}

// @ts-ignore: decorator
@inline
function columnParity(x: usize): u64 {
  const column = EVEN + 8 * x
  return load<u64>(column) ^ load<u64>(column, 40) ^ load<u64>(column, 80) ^ load<u64>(column, 120) ^ load<u64>(column, 160)
}

/** On V8, state in memory with rows as locals spills least. */
function permute(): void {
  let c0 = columnParity(0), c1 = columnParity(1), c2 = columnParity(2), c3 = columnParity(3), c4 = columnParity(4)
  let d0: u64, d1: u64, d2: u64, d3: u64, d4: u64
  let b0: u64, b1: u64, b2: u64, b3: u64, b4: u64
  for (let constant = ROUND_CONSTANTS; constant < CONSTANTS_END; constant += 16) {
    d0 = c4 ^ rotl(c1, 1), d1 = c0 ^ rotl(c2, 1), d2 = c1 ^ rotl(c3, 1), d3 = c2 ^ rotl(c4, 1), d4 = c3 ^ rotl(c0, 1)
    b0 = load<u64>(EVEN) ^ d0, b1 = turned(EVEN + 48, d1, 44), b2 = turned(EVEN + 96, d2, 43), b3 = turned(EVEN + 144, d3, 21), b4 = turned(EVEN + 192, d4, 14)
    c0 = put(ODD, b0 ^ (b1 | b2) ^ load<u64>(constant))
    c1 = put(ODD + 8, b1 ^ (~b2 | b3))
    c2 = put(ODD + 16, b2 ^ (b3 & b4))
    c3 = put(ODD + 24, b3 ^ (b4 | b0))
    c4 = put(ODD + 32, b4 ^ (b0 & b1))
    b0 = turned(EVEN + 24, d3, 28), b1 = turned(EVEN + 72, d4, 20), b2 = turned(EVEN + 80, d0, 3), b3 = turned(EVEN + 128, d1, 45), b4 = turned(EVEN + 176, d2, 61)
    c0 ^= put(ODD + 40, b0 ^ (b1 | b2))
    c1 ^= put(ODD + 48, b1 ^ (b2 & b3))
    c2 ^= put(ODD + 56, b2 ^ (b3 | ~b4))
    c3 ^= put(ODD + 64, b3 ^ (b4 | b0))
    c4 ^= put(ODD + 72, b4 ^ (b0 & b1))
    b0 = turned(EVEN + 8, d1, 1), b1 = turned(EVEN + 56, d2, 6), b2 = turned(EVEN + 104, d3, 25), b3 = turned(EVEN + 152, d4, 8), b4 = turned(EVEN + 160, d0, 18)
    c0 ^= put(ODD + 80, b0 ^ (b1 | b2))
    c1 ^= put(ODD + 88, b1 ^ (b2 & b3))
    c2 ^= put(ODD + 96, b2 ^ (~b3 & b4))
    c3 ^= put(ODD + 104, ~b3 ^ (b4 | b0))
    c4 ^= put(ODD + 112, b4 ^ (b0 & b1))
    b0 = turned(EVEN + 32, d4, 27), b1 = turned(EVEN + 40, d0, 36), b2 = turned(EVEN + 88, d1, 10), b3 = turned(EVEN + 136, d2, 15), b4 = turned(EVEN + 184, d3, 56)
    c0 ^= put(ODD + 120, b0 ^ (b1 & b2))
    c1 ^= put(ODD + 128, b1 ^ (b2 | b3))
    c2 ^= put(ODD + 136, b2 ^ (~b3 | b4))
    c3 ^= put(ODD + 144, ~b3 ^ (b4 & b0))
    c4 ^= put(ODD + 152, b4 ^ (b0 | b1))
    b0 = turned(EVEN + 16, d2, 62), b1 = turned(EVEN + 64, d3, 55), b2 = turned(EVEN + 112, d4, 39), b3 = turned(EVEN + 120, d0, 41), b4 = turned(EVEN + 168, d1, 2)
    c0 ^= put(ODD + 160, b0 ^ (~b1 & b2))
    c1 ^= put(ODD + 168, ~b1 ^ (b2 | b3))
    c2 ^= put(ODD + 176, b2 ^ (b3 & b4))
    c3 ^= put(ODD + 184, b3 ^ (b4 | b0))
    c4 ^= put(ODD + 192, b4 ^ (b0 & b1))

    d0 = c4 ^ rotl(c1, 1), d1 = c0 ^ rotl(c2, 1), d2 = c1 ^ rotl(c3, 1), d3 = c2 ^ rotl(c4, 1), d4 = c3 ^ rotl(c0, 1)
    b0 = load<u64>(ODD) ^ d0, b1 = turned(ODD + 48, d1, 44), b2 = turned(ODD + 96, d2, 43), b3 = turned(ODD + 144, d3, 21), b4 = turned(ODD + 192, d4, 14)
    c0 = put(EVEN, b0 ^ (b1 | b2) ^ load<u64>(constant, 8))
    c1 = put(EVEN + 8, b1 ^ (~b2 | b3))
    c2 = put(EVEN + 16, b2 ^ (b3 & b4))
    c3 = put(EVEN + 24, b3 ^ (b4 | b0))
    c4 = put(EVEN + 32, b4 ^ (b0 & b1))
    b0 = turned(ODD + 24, d3, 28), b1 = turned(ODD + 72, d4, 20), b2 = turned(ODD + 80, d0, 3), b3 = turned(ODD + 128, d1, 45), b4 = turned(ODD + 176, d2, 61)
    c0 ^= put(EVEN + 40, b0 ^ (b1 | b2))
    c1 ^= put(EVEN + 48, b1 ^ (b2 & b3))
    c2 ^= put(EVEN + 56, b2 ^ (b3 | ~b4))
    c3 ^= put(EVEN + 64, b3 ^ (b4 | b0))
    c4 ^= put(EVEN + 72, b4 ^ (b0 & b1))
    b0 = turned(ODD + 8, d1, 1), b1 = turned(ODD + 56, d2, 6), b2 = turned(ODD + 104, d3, 25), b3 = turned(ODD + 152, d4, 8), b4 = turned(ODD + 160, d0, 18)
    c0 ^= put(EVEN + 80, b0 ^ (b1 | b2))
    c1 ^= put(EVEN + 88, b1 ^ (b2 & b3))
    c2 ^= put(EVEN + 96, b2 ^ (~b3 & b4))
    c3 ^= put(EVEN + 104, ~b3 ^ (b4 | b0))
    c4 ^= put(EVEN + 112, b4 ^ (b0 & b1))
    b0 = turned(ODD + 32, d4, 27), b1 = turned(ODD + 40, d0, 36), b2 = turned(ODD + 88, d1, 10), b3 = turned(ODD + 136, d2, 15), b4 = turned(ODD + 184, d3, 56)
    c0 ^= put(EVEN + 120, b0 ^ (b1 & b2))
    c1 ^= put(EVEN + 128, b1 ^ (b2 | b3))
    c2 ^= put(EVEN + 136, b2 ^ (~b3 | b4))
    c3 ^= put(EVEN + 144, ~b3 ^ (b4 & b0))
    c4 ^= put(EVEN + 152, b4 ^ (b0 | b1))
    b0 = turned(ODD + 16, d2, 62), b1 = turned(ODD + 64, d3, 55), b2 = turned(ODD + 112, d4, 39), b3 = turned(ODD + 120, d0, 41), b4 = turned(ODD + 168, d1, 2)
    c0 ^= put(EVEN + 160, b0 ^ (~b1 & b2))
    c1 ^= put(EVEN + 168, ~b1 ^ (b2 | b3))
    c2 ^= put(EVEN + 176, b2 ^ (b3 & b4))
    c3 ^= put(EVEN + 184, b3 ^ (b4 | b0))
    c4 ^= put(EVEN + 192, b4 ^ (b0 & b1))
  }
}
