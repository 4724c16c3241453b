/**
 * Writes packages/evm/src/precompiles/blake2-wasm.generated.ts: BLAKE2b's compression rounds, assembled here so that no compiler
 * is needed. RFC 7693, section 3.2.
 *
 *   node --import=tsx scripts/gen-blake2-wasm.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  BLOCK,
  br,
  brIf,
  END,
  get,
  I32,
  I32_EQZ,
  I32_SUB,
  I64,
  I64_ADD,
  I64_ROTR,
  I64_XOR,
  i32Const,
  i64Const,
  i64Load,
  i64Store,
  LOOP,
  named,
  PREAMBLE,
  section,
  set,
  tee,
  unsigned,
} from './wasm-code.ts'

const OUTPUT = fileURLToPath(new URL('../packages/evm/src/precompiles/blake2-wasm.generated.ts', import.meta.url))

// Memory: 16 words of the working vector, 16 words of the message.
const VECTOR_AT = 0
const MESSAGE_AT = 128
const ROTATIONS = [32, 24, 16, 63] as const

const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]
const MIXED = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
]

const ROUNDS = 0
const word = (i: number) => 1 + i
const WORDS = Array.from({ length: 16 }, (_, i) => i)

/** Half of the function G: a = a + b + m, d = (d ^ a) >>> r, c = c + d, b = (b ^ c) >>> s. */
function half([a, b, c, d]: readonly number[], message: number, first: number, second: number): number[] {
  const [A, B, C, D] = [a, b, c, d].map((i) => word(i as number)) as [number, number, number, number]
  return [
    ...[...get(A), ...get(B), ...I64_ADD, ...i32Const(0), ...i64Load(MESSAGE_AT + 8 * message), ...I64_ADD, ...tee(A)],
    ...[...get(D), ...I64_XOR, ...i64Const(first), ...I64_ROTR, ...tee(D)],
    ...[...get(C), ...I64_ADD, ...tee(C)],
    ...[...get(B), ...I64_XOR, ...i64Const(second), ...I64_ROTR, ...set(B)],
  ]
}

function round(order: readonly number[]): number[] {
  return MIXED.flatMap((words, i) => [
    ...half(words, order[2 * i] as number, ROTATIONS[0], ROTATIONS[1]),
    ...half(words, order[2 * i + 1] as number, ROTATIONS[2], ROTATIONS[3]),
  ])
}

function mix(): number[] {
  const locals = [1, ...unsigned(16), I64]
  const load = WORDS.flatMap((i) => [...i32Const(0), ...i64Load(VECTOR_AT + 8 * i), ...set(word(i))])
  const store = WORDS.flatMap((i) => [...i32Const(0), ...get(word(i)), ...i64Store(VECTOR_AT + 8 * i)])
  const rounds = SIGMA.flatMap((order) => [
    ...[...get(ROUNDS), ...I32_EQZ, ...brIf(1)],
    ...round(order),
    ...[...get(ROUNDS), ...i32Const(1), ...I32_SUB, ...set(ROUNDS)],
  ])
  const body = [...locals, ...load, ...BLOCK, ...LOOP, ...rounds, ...br(0), ...END, ...END, ...store, ...END]
  return [...unsigned(body.length), ...body]
}

function generatedFile(): string {
  const bytes = Uint8Array.from([
    ...PREAMBLE,
    ...section(1, [1, 0x60, 1, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x01, 1, 1]),
    ...section(7, [2, ...named('memory'), 2, 0, ...named('mix'), 0, 0]),
    ...section(10, [1, ...mix()]),
  ])
  return `/** Written by scripts/gen-blake2-wasm.ts; do not edit. ${bytes.length} bytes of WebAssembly. */
export const BLAKE2_WASM_BASE64 =
  '${Buffer.from(bytes).toString('base64')}'
/** Where mix() has the message in the module's one page of memory; the vector is at 0. */
export const BLAKE2_MESSAGE_AT = ${MESSAGE_AT}
`
}

const wanted = generatedFile()
if (process.argv.includes('--check')) {
  if (readFileSync(OUTPUT, 'utf8') !== wanted) {
    console.error(`${OUTPUT} is out of date; run node --import=tsx scripts/gen-blake2-wasm.ts`)
    process.exit(1)
  }
} else {
  writeFileSync(OUTPUT, wanted)
}
