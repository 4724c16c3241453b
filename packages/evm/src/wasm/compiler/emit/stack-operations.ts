import * as op from '../analysis/opcodes.ts'
import { constantWord } from '../values/limb.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'

const range = (first: number, last: number, emitter: OperationEmitter): [number, OperationEmitter][] =>
  Array.from({ length: last - first + 1 }, (_, i) => [first + i, emitter])

export const STACK_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [op.JUMPDEST, () => undefined],
  [op.POP, (e) => e.stack.drop()],
  ...range(op.PUSH0, op.PUSH32, (e, { immediate }) => e.stack.push(constantWord(immediate))),
  ...range(op.DUP1, op.SWAP1 - 1, (e, { opcode }) => e.stack.duplicate(opcode - op.DUP1 + 1)),
  ...range(op.SWAP1, op.SWAP16, (e, { opcode }) => e.stack.swap(opcode - op.SWAP1 + 1)),
])
