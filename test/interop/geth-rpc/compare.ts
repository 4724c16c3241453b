import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from './json-rpc.ts'
import type { RpcRequest } from './requests.ts'

export interface Answers {
  readonly request: RpcRequest
  readonly ours: Outcome
  readonly geth: Outcome
}

/** A difference with a reason. */
export interface KnownDifference {
  readonly why: string
  /** Whole names of methods. */
  readonly methods: RegExp
  readonly fits: (answers: Answers) => boolean
}

export type Verdict = { readonly kind: 'same' } | { readonly kind: 'known'; readonly why: string } | { readonly kind: 'unexplained' }

/** Ids of filters are chosen by each node. */
const CHOSEN = /^eth_new\w*Filter$/

/** Results are compared in full, refusals by code and data: the words are each client's own. */
export function judge(answers: Answers, known: readonly KnownDifference[]): Verdict {
  if (isSame(answers)) return { kind: 'same' }
  const row = known.find(({ methods, fits }) => methods.test(answers.request.method) && fits(answers))
  return row === undefined ? { kind: 'unexplained' } : { kind: 'known', why: row.why }
}

function isSame({ request, ours, geth }: Answers): boolean {
  if ('error' in ours || 'error' in geth)
    return 'error' in ours && 'error' in geth && ours.error.code === geth.error.code && isDeepStrictEqual(ours.error.data, geth.error.data)
  if (CHOSEN.test(request.method)) return typeof ours.result === typeof geth.result
  return isDeepStrictEqual(ours.result, geth.result)
}
