import { CodecError } from '@keelson/primitives'
import type { SnapPeer } from '../../sync/snap/ports.ts'
import type { RequestTracker } from '../requests/request-tracker.ts'
import { SNAP_CODES } from './codes.ts'
import { requestFields, type UnsentRequest } from './requests.ts'
import { decodeResponse } from './responses.ts'

export type SnapRequests = Pick<SnapPeer, 'accountRange' | 'storageRanges' | 'byteCodes' | 'trieNodes'>

/** A response is decoded when a request waits for it; `onUnreadable` ends the session of the peer that sent it. */
export function createOpenRequests(tracker: RequestTracker, onUnreadable: (detail: string) => void): SnapRequests {
  async function ask<T>(request: UnsentRequest, signal: AbortSignal): Promise<T> {
    const responseCode = request.code + 1
    const fields = await tracker.request(request.code, responseCode, requestFields(request), signal)
    try {
      return decodeResponse(responseCode, fields) as T
    } catch (error) {
      if (error instanceof CodecError) onUnreadable(`unreadable response ${responseCode}: ${error.message}`)
      throw error
    }
  }

  return {
    accountRange: (request, signal) => ask({ code: SNAP_CODES.getAccountRange, request }, signal),
    storageRanges: (request, signal) => ask({ code: SNAP_CODES.getStorageRanges, request }, signal),
    byteCodes: (request, signal) => ask({ code: SNAP_CODES.getByteCodes, request }, signal),
    trieNodes: (request, signal) => ask({ code: SNAP_CODES.getTrieNodes, request }, signal),
  }
}
