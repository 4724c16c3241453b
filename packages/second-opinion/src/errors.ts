import { NodeError } from '@keelson/primitives'

/**
 * `witness-incomplete`: the witness lacks a node, code or header. `invalid-block`: the block breaks a rule of its fork.
 * `judgeBlock` returns these two as verdicts; `misuse` is a mistake of the caller.
 */
export type SecondOpinionErrorCode = 'second-opinion/witness-incomplete' | 'second-opinion/invalid-block' | 'second-opinion/misuse'

export class SecondOpinionError extends NodeError<SecondOpinionErrorCode> {}

export function invalidBlock(message: string): SecondOpinionError {
  return new SecondOpinionError('second-opinion/invalid-block', message)
}

export function incompleteWitness(message: string): SecondOpinionError {
  return new SecondOpinionError('second-opinion/witness-incomplete', message)
}
