/** What an answer is made with. */
import type { ChainNames } from '../../tools/token-names.ts'
import type { ToolCallResult } from '../../tools/toolbox.ts'
import type { Question } from '../reading/question.ts'

export type ToolFailure = Extract<ToolCallResult, { readonly ok: false }>
/** The caller of a tool names the type of its result. */
export type Called<T> = { readonly ok: true; readonly value: T } | ToolFailure

export interface Asking {
  readonly question: Question
  readonly chains: readonly ChainNames[]
  readonly nowMs: number
  /** Calls a tool that only reads. Null and undefined arguments are left out. */
  call<T>(name: string, args: Readonly<Record<string, unknown>>): Promise<Called<T>>
}

/** Lines of an answer; tools are called between them. */
export type Answer = AsyncGenerator<string, void, void>

const MAX_DETAIL = 400

/** Why there is no figure. */
export function failureLine({ reason, detail }: ToolFailure): string {
  if (reason === 'unavailable') return `I cannot say now, because a source is away: ${ended(detail)} Ask again in a while.`
  return reason === 'not-configured' ? `That is not set up here: ${ended(detail)}` : sentence(detail)
}

export function sentence(text: string, maxLength = MAX_DETAIL): string {
  return ended(text.charAt(0).toUpperCase() + text.slice(1), maxLength)
}

function ended(text: string, maxLength = MAX_DETAIL): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return /[.!?…]$/.test(short) ? short : `${short}.`
}

/** Shortens what a user wrote in the place of a token. */
export function shortName(token: string): string {
  return token.length > 42 ? `${token.slice(0, 42)}…` : token
}
