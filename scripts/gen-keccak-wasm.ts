/**
 * Writes packages/primitives/src/keccak-wasm.generated.ts: Keccak-f[1600] and the absorbing loop of Keccak-256, assembled here
 * so that no compiler is needed. FIPS 202, sections 3.2 and 4; WebAssembly core specification 2.0.
 *
 *   node --import=tsx scripts/gen-keccak-wasm.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  BR_IF_0,
  END,
  get,
  I32,
  I32_ADD,
  I32_LT_U,
  I32_SUB,
  I64,
  I64_AND,
  I64_ROTL,
  I64_XOR,
  IF,
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

const OUTPUT = fileURLToPath(new URL('../packages/primitives/src/keccak-wasm.generated.ts', import.meta.url))

// Memory: 25 lanes of the state, the round constants, and the input from 512 on.
const STATE_AT = 0
const CONSTANTS_AT = 200
const INPUT_AT = 512
const RATE_BYTES = 136
const ROUNDS = 24

// Locals of absorb(at, blocks, resume): parameters, address of the round constant, lanes, scratch.
const AT = 0
const BLOCKS = 1
const RESUME = 2
const CONSTANT = 3
const lane = (i: number) => 4 + i
const scratch = (i: number) => 29 + i
const LANES = Array.from({ length: 25 }, (_, i) => i)
const COLUMNS = [0, 1, 2, 3, 4]

function theta(): number[] {
  const out: number[] = []
  for (const x of COLUMNS) {
    out.push(...get(lane(x)))
    for (const y of [5, 10, 15, 20]) out.push(...get(lane(x + y)), ...I64_XOR)
    out.push(...set(scratch(x)))
  }
  for (const x of COLUMNS) {
    out.push(...get(scratch((x + 4) % 5)), ...get(scratch((x + 1) % 5)), ...i64Const(1), ...I64_ROTL, ...I64_XOR, ...set(scratch(5)))
    for (const y of [0, 5, 10, 15, 20]) out.push(...get(lane(x + y)), ...get(scratch(5)), ...I64_XOR, ...set(lane(x + y)))
  }
  return out
}

/** Rotates lanes and moves them along the single cycle that pi forms of all but (0, 0). */
function rhoAndPi(): number[] {
  const out = [...get(lane(1)), ...set(scratch(0))]
  let [x, y] = [1, 0]
  for (let t = 0; t < 24; t++) {
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
    const target = lane(x + 5 * y)
    const rotation = (((t + 1) * (t + 2)) / 2) % 64
    out.push(...get(target), ...set(scratch(1)), ...get(scratch(0)), ...i64Const(rotation), ...I64_ROTL, ...set(target))
    out.push(...get(scratch(1)), ...set(scratch(0)))
  }
  return out
}

function chi(): number[] {
  const out: number[] = []
  for (const row of [0, 5, 10, 15, 20]) {
    out.push(...get(lane(row)), ...set(scratch(0)), ...get(lane(row + 1)), ...set(scratch(1)))
    for (const x of COLUMNS) {
      const next = x < 4 ? lane(row + x + 1) : scratch(0)
      const afterNext = x < 3 ? lane(row + x + 2) : scratch(x - 3)
      out.push(
        ...get(lane(row + x)),
        ...get(next),
        ...i64Const(-1),
        ...I64_XOR,
        ...get(afterNext),
        ...I64_AND,
        ...I64_XOR,
        ...set(lane(row + x)),
      )
    }
  }
  return out
}

/** XORs `blocks` blocks from `at` into the state, permuting after each; resume 0 starts with a zero state. */
function absorb(): number[] {
  const locals = [2, 1, I32, ...unsigned(25 + 6), I64]
  const load = LANES.flatMap((i) => [...i32Const(0), ...i64Load(STATE_AT + 8 * i), ...set(lane(i))])
  const store = LANES.flatMap((i) => [...i32Const(0), ...get(lane(i)), ...i64Store(STATE_AT + 8 * i)])
  const xorBlock = LANES.slice(0, RATE_BYTES / 8).flatMap((i) => [
    ...get(lane(i)),
    ...get(AT),
    ...i64Load(8 * i),
    ...I64_XOR,
    ...set(lane(i)),
  ])
  const round = [
    ...theta(),
    ...rhoAndPi(),
    ...chi(),
    ...[...get(lane(0)), ...get(CONSTANT), ...i64Load(0), ...I64_XOR, ...set(lane(0))],
    ...[...get(CONSTANT), ...i32Const(8), ...I32_ADD, ...tee(CONSTANT), ...i32Const(CONSTANTS_AT + 8 * ROUNDS), ...I32_LT_U, ...BR_IF_0],
  ]
  const code = [
    ...[...get(RESUME), ...IF, ...load, ...END],
    ...LOOP,
    ...xorBlock,
    ...[...i32Const(CONSTANTS_AT), ...set(CONSTANT)],
    ...[...LOOP, ...round, ...END],
    ...[...get(AT), ...i32Const(RATE_BYTES), ...I32_ADD, ...set(AT)],
    ...[...get(BLOCKS), ...i32Const(1), ...I32_SUB, ...tee(BLOCKS), ...BR_IF_0],
    ...END,
    ...store,
    ...END,
  ]
  const body = [...locals, ...code]
  return [...unsigned(body.length), ...body]
}

function roundConstants(): number[] {
  const out: number[] = []
  let register = 1
  for (let round = 0; round < ROUNDS; round++) {
    const constant = new Uint8Array(8)
    for (let j = 0; j < 7; j++) {
      const bit = 2 ** j - 1
      if ((register & 1) !== 0) constant[bit >> 3] = (constant[bit >> 3] as number) | (1 << (bit & 7))
      register = (register << 1) ^ ((register >> 7) * 0x171)
    }
    out.push(...constant)
  }
  return out
}

function moduleBytes(): Uint8Array {
  const constants = roundConstants()
  return Uint8Array.from([
    ...PREAMBLE,
    ...section(1, [1, 0x60, 3, I32, I32, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x01, 1, 1]),
    ...section(7, [2, ...named('memory'), 2, 0, ...named('absorb'), 0, 0]),
    ...section(10, [1, ...absorb()]),
    ...section(11, [1, 0, ...i32Const(CONSTANTS_AT), ...END, ...unsigned(constants.length), ...constants]),
  ])
}

function generatedFile(): string {
  const bytes = moduleBytes()
  const base64 = Buffer.from(bytes).toString('base64')
  return `/** Written by scripts/gen-keccak-wasm.ts; do not edit. ${bytes.length} bytes of WebAssembly. */
export const KECCAK_WASM_BASE64 =
  '${base64}'
/** Where absorb() expects its input in the module's one page of memory. */
export const KECCAK_INPUT_AT = ${INPUT_AT}
`
}

const wanted = generatedFile()
if (process.argv.includes('--check')) {
  if (readFileSync(OUTPUT, 'utf8') !== wanted) {
    console.error(`${OUTPUT} is out of date; run node --import=tsx scripts/gen-keccak-wasm.ts`)
    process.exit(1)
  }
} else {
  writeFileSync(OUTPUT, wanted)
}
