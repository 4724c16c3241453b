import { BlockIndex } from './analysis/block-index.ts'
import { findBlocks } from './analysis/find-blocks.ts'
import { emitFunction } from './emit/compiled-function.ts'
import { importCore } from './emit/core-functions.ts'
import { isInline } from './emit/emitters.ts'
import { ValueType } from './encoding/instructions.ts'
import { ModuleWriter } from './encoding/module-writer.ts'
import type { ForkCosts } from './fork-costs.ts'
import { COMPILE_LIMITS, type CompileLimits, type CompileRefusal } from './limits.ts'
import { Subroutines } from './subroutines/subroutines.ts'

export const CORE_MODULE = 'core'
export const MEMORY_IMPORT = 'memory'
export const JUMP_TABLE_IMPORT = 'jumpTable'
export const RUN_EXPORT = 'run'

export type CompileResult =
  | { readonly kind: 'compiled'; readonly bytes: Uint8Array; readonly jumpTableBytes: number }
  | { readonly kind: 'refused'; readonly reason: CompileRefusal }

/** Exports `run(frame) -> STATUS`. Time is linear in code length. */
export function compile(code: Uint8Array, fork: ForkCosts, limits: CompileLimits = COMPILE_LIMITS): CompileResult {
  if (code.length > limits.maxCodeBytes) return { kind: 'refused', reason: 'code-too-large' }
  const blocks = findBlocks(code, { fork, isInline, maxBlocks: limits.maxBlocks })
  if (typeof blocks === 'string') return { kind: 'refused', reason: blocks }
  const index = new BlockIndex(blocks, code.length)
  const module = new ModuleWriter(CORE_MODULE)
  module.importMemory(MEMORY_IMPORT)
  module.importI32(JUMP_TABLE_IMPORT)
  const core = importCore(module)
  const subroutines = new Subroutines(core.size + 1)
  const body = emitFunction({
    blocks,
    index,
    core,
    subroutines,
    jumpTableGlobal: 0,
    codeLength: code.length,
    maxBytes: limits.maxEmittedBytes,
  })
  if (typeof body === 'string') return { kind: 'refused', reason: body }
  module.exportFunction(RUN_EXPORT, module.addFunction({ parameters: [ValueType.i32], results: [ValueType.i32] }, body))
  subroutines.addTo(module)
  const jumpTable = index.jumpTable()
  module.addData(0, jumpTable)
  return { kind: 'compiled', bytes: module.finish(), jumpTableBytes: jumpTable.length }
}
