import type { Operation } from '../analysis/block.ts'
import type { BlockEmitter } from './block-emitter.ts'

export type OperationEmitter = (e: BlockEmitter, operation: Operation) => void

export type EmitterTable = ReadonlyMap<number, OperationEmitter>
