import { CodecError } from '@keelson/primitives'
import { P2pError } from '../../../packages/execution/src/p2p/p2p-error.ts'

/** Null for an error that a peer may cause; any other one is a finding. */
export function orRefused<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}

export function isRefusal(error: unknown): boolean {
  return error instanceof CodecError || error instanceof P2pError
}
