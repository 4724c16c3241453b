/** ECDSA verification on secp256r1 (SEC 1, section 4.1.4). */
import { add, copyElement, ELEMENT, isZero, LIMBS, multiply, readElement, readLimbs, square, subtract } from './field'
import { addPoint, BASE, copyPoint, doublePoint, isInfinity, isOnCurve, ONE, POINT } from './point'
import { invertScalar, multiplyScalars } from './scalar'

const BASE_WIDTH = 7
const KEY_WIDTH = 5
/** Scalars are below twice the order, so digits end at bit 257. */
const MAX_DIGITS: i32 = 264

const INPUT: usize = memory.data(160, 16)
const BASE_TABLE: usize = memory.data(32 * 144, 16)
const KEY_TABLE: usize = memory.data(8 * 144, 16)
const BASE_DIGITS: usize = memory.data(264, 16)
const KEY_DIGITS: usize = memory.data(264, 16)
const KEY: usize = memory.data(144, 16)
const SUM: usize = memory.data(144, 16)
const ROOM: usize = memory.data(4 * 48, 16)
const ORDER_BYTES: usize = memory.data<u8>([0xff, 0xff, 0xff, 0xff, 0x0, 0x0, 0x0, 0x0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51])
const INVERSION_EXPONENT: usize = memory.data<u8>([0xff, 0xff, 0xff, 0xff, 0x0, 0x0, 0x0, 0x1, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfd])

export function input(): usize {
  return INPUT
}

export function prepare(): void {
  fillTable(BASE_TABLE, BASE, 32)
  for (let i: usize = 0; i < 32; i++) normalize(BASE_TABLE + i * POINT)
}

/** The caller checks that r and s are from 1 to the order less one, and x and y below the modulus. */
export function verify(): bool {
  readElement(KEY, INPUT + 96)
  readElement(KEY + ELEMENT, INPUT + 128)
  copyElement(KEY + 2 * ELEMENT, ONE)
  if (!isOnCurve(KEY)) return false
  fillTable(KEY_TABLE, KEY, 8)
  const w = ROOM
  const scalar = ROOM + ELEMENT
  readLimbs(scalar, INPUT + 64)
  invertScalar(w, scalar)
  readLimbs(scalar, INPUT)
  multiplyScalars(scalar, scalar, w)
  writeDigits(BASE_DIGITS, scalar, BASE_WIDTH)
  readLimbs(scalar, INPUT + 32)
  multiplyScalars(scalar, scalar, w)
  writeDigits(KEY_DIGITS, scalar, KEY_WIDTH)
  sumProducts()
  return !isInfinity(SUM) && hasCoordinate(SUM, INPUT + 32)
}

function sumProducts(): void {
  memory.fill(SUM, 0, POINT)
  for (let i = MAX_DIGITS - 1; i >= 0; i--) {
    doublePoint(SUM, SUM)
    const base = <i32>load<i8>(BASE_DIGITS + i)
    if (base != 0) addPoint(SUM, BASE_TABLE + <usize>(abs(base) >> 1) * POINT, true, base < 0)
    const key = <i32>load<i8>(KEY_DIGITS + i)
    if (key != 0) addPoint(SUM, KEY_TABLE + <usize>(abs(key) >> 1) * POINT, false, key < 0)
  }
}

function hasCoordinate(point: usize, number: usize): bool {
  const r = ROOM
  const squared = ROOM + ELEMENT
  const candidate = ROOM + 2 * ELEMENT
  const order = ROOM + 3 * ELEMENT
  square(squared, point + 2 * ELEMENT)
  readElement(r, number)
  multiply(candidate, r, squared)
  subtract(candidate, candidate, point)
  if (isZero(candidate)) return true
  if (!isSumInField(number)) return false
  readElement(order, ORDER_BYTES)
  add(r, r, order)
  multiply(candidate, r, squared)
  subtract(candidate, candidate, point)
  return isZero(candidate)
}

function isSumInField(number: usize): bool {
  for (let i: usize = 0; i < 32; i++) {
    const byte = load<u8>(number + i)
    const limit = load<u8>(MODULUS_LESS_ORDER + i)
    if (byte != limit) return byte < limit
  }
  return false
}

const MODULUS_LESS_ORDER: usize = memory.data<u8>([0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x43, 0x19, 0x5, 0x53, 0x58, 0xe8, 0x61, 0x7b, 0xc, 0x46, 0x35, 0x3d, 0x3, 0x9c, 0xda, 0xae])

function fillTable(table: usize, point: usize, count: usize): void {
  copyPoint(table, point)
  doublePoint(SUM, point)
  for (let i: usize = 1; i < count; i++) {
    const multiple = table + i * POINT
    copyPoint(multiple, multiple - POINT)
    addPoint(multiple, SUM, false, false)
  }
}

function normalize(point: usize): void {
  const z = point + 2 * ELEMENT
  const inverse = ROOM
  copyElement(inverse, ONE)
  for (let i: usize = 0; i < 256; i++) {
    square(inverse, inverse)
    if ((load<u8>(INVERSION_EXPONENT + (i >> 3)) >> <u8>(7 - (i & 7))) & 1) multiply(inverse, inverse, z)
  }
  const squared = ROOM + ELEMENT
  square(squared, inverse)
  multiply(point, point, squared)
  multiply(squared, squared, inverse)
  multiply(point + ELEMENT, point + ELEMENT, squared)
  copyElement(z, ONE)
}

function bit(scalar: usize, i: i32): i32 {
  const at = i / 29
  return at < LIMBS ? <i32>((load<u32>(scalar + (<usize>at << 2)) >> <u32>(i % 29)) & 1) : 0
}

function writeDigits(digits: usize, scalar: usize, width: i32): void {
  memory.fill(digits, 0, MAX_DIGITS)
  const half = 1 << (width - 1)
  let carry = 0
  for (let i = 0; i < MAX_DIGITS; ) {
    let digit = bit(scalar, i) + carry
    if ((digit & 1) == 0) {
      carry = digit >> 1
      i++
      continue
    }
    for (let j = 1; j < width; j++) digit += bit(scalar, i + j) << j
    carry = digit >= half ? 1 : 0
    store<i8>(digits + i, <i8>(carry ? digit - 2 * half : digit))
    i += width
  }
}
