/** About twice as fast as mcl; source in packages/evm/assembly/bls12. */
import { AssemblyError } from '../../errors.ts'
import type { CurveArithmetic } from './arithmetic.ts'
import { BLS12_PAGES, BLS12_WASM_BASE64 } from './bls12-wasm.generated.ts'

interface Bls12Exports {
  prepare(): void
  free(): number
  multiply(z: number, x: number, y: number): void
  multiply2(z: number, x: number, y: number): void
  negate(z: number, x: number): void
  readElement(z: number, bytes: number): void
  writeElement(bytes: number, x: number): void
  isZeroG1(x: number): number
  isZeroG2(x: number): number
  isOnCurveG1(x: number): number
  isOnCurveG2(x: number): number
  isEqualG1(x: number, y: number): number
  isEqualG2(x: number, y: number): number
  normalizeG1(z: number, x: number): void
  normalizeG2(z: number, x: number): void
  doubleG1(z: number, x: number): void
  doubleG2(z: number, x: number): void
  addG1(z: number, x: number, y: number): void
  addG2(z: number, x: number, y: number): void
  subtractG1(z: number, x: number, y: number): void
  subtractG2(z: number, x: number, y: number): void
  millerLoop(z: number, first: number, second: number, count: number): void
  multiply12(z: number, x: number, y: number): void
  setOne12(z: number): void
  isExponentiatedOne(x: number): number
  mapToG1(point: number, element: number, constants: number): void
  mapToG2(point: number, element: number, constants: number): void
}

export interface Bls12Arithmetic extends CurveArithmetic {
  /** Write points on the curve but outside the subgroup; packages/evm/assembly/bls12/map.ts lists the constants. */
  readonly maps: readonly [FieldMap, FieldMap]
}

export type FieldMap = (point: number, element: number, constants: number) => void

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
  readonly Memory: new (limits: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
}

const ELEMENT_BYTES = 64
const ALIGNMENT = 16

export function createBls12Arithmetic(): Bls12Arithmetic {
  const memory = new WebAssembly.Memory({ initial: BLS12_PAGES })
  const module = new WebAssembly.Module(Buffer.from(BLS12_WASM_BASE64, 'base64'))
  const own = new WebAssembly.Instance(module, { env: { memory } }).exports as Bls12Exports
  own.prepare()
  let next = own.free()
  return {
    memory,
    elementBytes: ELEMENT_BYTES,
    groups: groupsOf(own),
    allocate(bytes) {
      const at = Math.ceil(next / ALIGNMENT) * ALIGNMENT
      next = at + bytes
      if (next > memory.buffer.byteLength)
        throw new AssemblyError('node/native-module', `${bytes} bytes do not fit the memory of the curve BLS12-381`, { bytes })
      return at
    },
    readElement: own.readElement,
    writeElement: own.writeElement,
    negate: own.negate,
    multiply: own.multiply,
    multiply2: own.multiply2,
    maps: [own.mapToG1, own.mapToG2],
    pairing: {
      setOne: own.setOne12,
      multiply: own.multiply12,
      millerLoop: own.millerLoop,
      isExponentiatedOne: own.isExponentiatedOne,
    },
  }
}

function groupsOf(own: Bls12Exports): CurveArithmetic['groups'] {
  return [
    {
      degree: 1,
      isZero: own.isZeroG1,
      isOnCurve: own.isOnCurveG1,
      isEqual: own.isEqualG1,
      normalize: own.normalizeG1,
      double: own.doubleG1,
      add: own.addG1,
      subtract: own.subtractG1,
    },
    {
      degree: 2,
      isZero: own.isZeroG2,
      isOnCurve: own.isOnCurveG2,
      isEqual: own.isEqualG2,
      normalize: own.normalizeG2,
      double: own.doubleG2,
      add: own.addG2,
      subtract: own.subtractG2,
    },
  ]
}
