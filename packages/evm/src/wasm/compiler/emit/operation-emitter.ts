import type { Operation } from '../analysis/block.ts'
import type { BlockEmitter } from './block-emitter.ts'

/** Generates the code of one opcode: takes its operands from the symbolic stack and pushes its result there. */
export type OperationEmitter = (e: BlockEmitter, operation: Operation) => void

export type EmitterTable = ReadonlyMap<number, OperationEmitter>
