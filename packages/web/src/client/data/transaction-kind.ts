import { L1_INFO_DEPOSITOR } from '@keelson/primitives'

export const POST_EXEC_TYPE = 0x7d
export const DEPOSIT_TYPE = 0x7e

/** Null for types that are not known. */
export function typeName(type: number): string | null {
  return (
    { 0: 'legacy', 1: 'access list', 2: 'dynamic fee', 4: 'set code', [POST_EXEC_TYPE]: 'post-execution', [DEPOSIT_TYPE]: 'deposit' }[
      type
    ] ?? null
  )
}

/** The first transaction of a block, which no user sent. */
export function isL1Info({ type, from }: { readonly type: number; readonly from: string }): boolean {
  return type === DEPOSIT_TYPE && from.toLowerCase() === L1_INFO_DEPOSITOR
}
