/**
 * Synchronous Keccak-256 (original padding, not SHA-3) in WebAssembly, many times faster than JavaScript, which lacks 64-bit integers.
 * scripts/gen-keccak-wasm.ts generates the module.
 */
import { type Bytes32, bytesToHex, type Hash } from './hex.ts'
import { KECCAK_INPUT_AT, KECCAK_WASM_BASE64 } from './keccak-wasm.generated.ts'

interface KeccakModule {
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Absorbs whole blocks from memory into the state at 0; `resume` 0 starts with an empty state. */
  absorb(at: number, blocks: number, resume: 0 | 1): void
}

/** The used part of the global; the project does not include the DOM types. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

const RATE_BYTES = 136
const module = new WebAssembly.Module(Uint8Array.from(atob(KECCAK_WASM_BASE64), (char) => char.charCodeAt(0)))
const { memory, absorb } = new WebAssembly.Instance(module).exports as KeccakModule
const bytes = new Uint8Array(memory.buffer)
const CHUNK_BYTES = Math.floor((bytes.length - KECCAK_INPUT_AT) / RATE_BYTES) * RATE_BYTES

/** Returns a new 32-byte array. Never yields, so all callers of a thread share one module. */
export function keccak256(data: Uint8Array): Bytes32 {
  let rest = data
  let resume: 0 | 1 = 0
  // A full chunk is not the last one, because the final, padded block must fit as well.
  while (rest.length >= CHUNK_BYTES) {
    bytes.set(rest.subarray(0, CHUNK_BYTES), KECCAK_INPUT_AT)
    absorb(KECCAK_INPUT_AT, CHUNK_BYTES / RATE_BYTES, resume)
    rest = rest.subarray(CHUNK_BYTES)
    resume = 1
  }
  const blocks = Math.floor(rest.length / RATE_BYTES) + 1
  const end = KECCAK_INPUT_AT + blocks * RATE_BYTES
  bytes.set(rest, KECCAK_INPUT_AT)
  bytes.fill(0, KECCAK_INPUT_AT + rest.length, end)
  bytes[KECCAK_INPUT_AT + rest.length] = 0x01
  bytes[end - 1] = (bytes[end - 1] as number) | 0x80
  absorb(KECCAK_INPUT_AT, blocks, resume)
  return bytes.slice(0, 32)
}

export function keccak256Hash(data: Uint8Array): Hash {
  return bytesToHex(keccak256(data)) as Hash
}
