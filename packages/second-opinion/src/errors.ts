import { NodeError } from '@keelson/primitives'

/** `judgeBlock` returns `witness-incomplete` and `invalid-block` as verdicts; `misuse` is the caller's mistake. */
export type SecondOpinionErrorCode = 'second-opinion/witness-incomplete' | 'second-opinion/invalid-block' | 'second-opinion/misuse'

export class SecondOpinionError extends NodeError<SecondOpinionErrorCode> {}

export function invalidBlock(message: string): SecondOpinionError {
  return new SecondOpinionError('second-opinion/invalid-block', message)
}

export function incompleteWitness(message: string): SecondOpinionError {
  return new SecondOpinionError('second-opinion/witness-incomplete', message)
}
