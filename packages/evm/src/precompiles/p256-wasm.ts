/** SEC 1, section 4.1.4; source: packages/evm/assembly/p256. */
import { P256_PAGES, P256_WASM_BASE64 } from './p256-wasm.generated.ts'

interface P256Exports {
  input(): number
  prepare(): void
  verify(): number
}

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
  readonly Memory: new (limits: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
}

const ORDER = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
const MODULUS = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff'

const toBytes = (hex: string) => Uint8Array.from(hex.match(/../g) as string[], (byte) => Number.parseInt(byte, 16))
const [order, modulus] = [toBytes(ORDER), toBytes(MODULUS)]

const memory = new WebAssembly.Memory({ initial: P256_PAGES })
const module = new WebAssembly.Module(Uint8Array.from(atob(P256_WASM_BASE64), (char) => char.charCodeAt(0)))
const { input: inputAt, prepare, verify } = new WebAssembly.Instance(module, { env: { memory } }).exports as P256Exports
const room = new Uint8Array(memory.buffer, inputAt(), 160)
prepare()

/** 160 bytes: digest, r, s, and the public key. */
export function verifyP256(input: Uint8Array): boolean {
  for (const at of [32, 64]) if (!isBelow(input, at, order) || isZero(input, at)) return false
  for (const at of [96, 128]) if (!isBelow(input, at, modulus)) return false
  room.set(input)
  return verify() !== 0
}

function isBelow(input: Uint8Array, at: number, limit: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) {
    const difference = (input[at + i] as number) - (limit[i] as number)
    if (difference !== 0) return difference < 0
  }
  return false
}

function isZero(input: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 32; i++) if (input[i] !== 0) return false
  return true
}
