import { createManualClock } from '@keelson/runtime'
import { decodeIdentified, encodeIdentified } from '../../p2p/requests/identified.ts'
import { createServeTime, type ServeTime } from '../../p2p/requests/serve-time.ts'
import { SNAP_CODES } from '../../p2p/snap/codes.ts'
import { decodeRequest, requestFields } from '../../p2p/snap/requests.ts'
import { decodeResponse, encodeResponse, type SnapResponse } from '../../p2p/snap/responses.ts'
import { serveAccountRange, serveByteCodes, serveStorageRanges, serveTrieNodes } from '../../p2p/snap/serve.ts'
import { createServedStates } from '../../p2p/snap/served-states.ts'
import type { PeerFault, PeerList } from '../ports.ts'
import type { SnapPeer } from './ports.ts'
import type { StateChain } from './state-chain.test-support.ts'

export interface LocalPeer extends SnapPeer {
  readonly faults: PeerFault[]
  requests: number
}

type Change = (response: SnapResponse) => SnapResponse

/** Answers from a state chain through both codecs, without a connection. `change` makes it lie. */
export function localPeer(
  served: Pick<StateChain, 'chain' | 'state'>,
  id: string,
  {
    change = (response) => response,
    beforeAnswer = async () => undefined,
  }: {
    readonly change?: Change
    beforeAnswer?(peer: LocalPeer): Promise<void>
  } = {},
): LocalPeer {
  const states = createServedStates(served.chain, served.state)
  const faults: PeerFault[] = []
  async function ask<T>(
    code: number,
    request: object,
    serve: (request: never, time: ServeTime) => Promise<object>,
    signal: AbortSignal,
  ): Promise<T> {
    peer.requests++
    await beforeAnswer(peer)
    signal.throwIfAborted()
    const decoded = decodeRequest(code, encodeIdentified(1n, requestFields({ code, request } as never)))
    const response = {
      code: code + 1,
      id: 1n,
      response: await serve(decoded?.request as never, createServeTime(createManualClock(0))),
    } as SnapResponse
    return decodeResponse(code + 1, decodeIdentified(encodeResponse(change(response))).fields) as T
  }
  const peer: LocalPeer = {
    id,
    faults,
    requests: 0,
    penalize: (fault) => void faults.push(fault),
    accountRange: (request, signal) => ask(SNAP_CODES.getAccountRange, request, (r, time) => serveAccountRange(states, r, time), signal),
    storageRanges: (request, signal) => ask(SNAP_CODES.getStorageRanges, request, (r, time) => serveStorageRanges(states, r, time), signal),
    byteCodes: (request, signal) => ask(SNAP_CODES.getByteCodes, request, (r, time) => serveByteCodes(states, r, time), signal),
    trieNodes: (request, signal) => ask(SNAP_CODES.getTrieNodes, request, (r, time) => serveTrieNodes(states, r, time), signal),
  }
  return peer
}

export function listOf(...peers: SnapPeer[]): PeerList<SnapPeer> {
  return { list: () => peers, onChange: () => () => undefined }
}
