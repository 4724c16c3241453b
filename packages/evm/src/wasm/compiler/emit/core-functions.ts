import { ValueType } from '../encoding/instructions.ts'
import type { ModuleWriter, Signature } from '../encoding/module-writer.ts'

const { i32, i64 } = ValueType
/** (frame, sp, gas) -> gas left, negative when the frame halts. */
const PAID: Signature = { parameters: [i32, i32, i64], results: [i64] }
const FREE: Signature = { parameters: [i32], results: [] }

/** See assembly/tier1-exports.ts. */
const CORE_FUNCTIONS = {
  step: { parameters: [i32], results: [i32] },
  expandMemory: { parameters: [i32, i64, i64], results: [i64] },
  returnDataSize: { parameters: [], results: [i32] },
  opKeccak256: PAID,
  opExp: PAID,
  opSload: PAID,
  opSstore: PAID,
  opTload: PAID,
  opTstore: PAID,
  opCalldatacopy: PAID,
  opCodecopy: PAID,
  opReturndatacopy: PAID,
  opMcopy: PAID,
  opBalance: PAID,
  opExtcodesize: PAID,
  opExtcodehash: PAID,
  opExtcodecopy: PAID,
  opLog: { parameters: [i32, i32, i64, i32], results: [i64] },
  opDiv: FREE,
  opSdiv: FREE,
  opMod: FREE,
  opSmod: FREE,
  opAddmod: FREE,
  opMulmod: FREE,
} as const satisfies Record<string, Signature>

export type CoreFunction = keyof typeof CORE_FUNCTIONS
export const CORE_FUNCTION_NAMES = Object.keys(CORE_FUNCTIONS) as readonly CoreFunction[]

/** The order is the same in every module. */
export function importCore(module: ModuleWriter): ReadonlyMap<CoreFunction, number> {
  return new Map(CORE_FUNCTION_NAMES.map((name) => [name, module.importFunction(name, CORE_FUNCTIONS[name])]))
}
