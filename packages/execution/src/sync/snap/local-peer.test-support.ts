import { createTurnTaker } from '@keelson/runtime'
import { SNAP_CODES } from '../../p2p/snap/codes.ts'
import { decodeRequest, encodeRequest } from '../../p2p/snap/requests.ts'
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
  async function ask<T>(code: number, request: object, serve: (request: never) => Promise<object>, signal: AbortSignal): Promise<T> {
    peer.requests++
    await beforeAnswer(peer)
    signal.throwIfAborted()
    const decoded = decodeRequest(code, encodeRequest({ code, id: 1n, request } as never))
    const response = { code: code + 1, id: 1n, response: await serve(decoded?.request as never) } as SnapResponse
    return decodeResponse(code + 1, encodeResponse(change(response)))?.response as T
  }
  const turn = createTurnTaker()
  const peer: LocalPeer = {
    id,
    faults,
    requests: 0,
    penalize: (fault) => void faults.push(fault),
    accountRange: (request, signal) => ask(SNAP_CODES.getAccountRange, request, (r) => serveAccountRange(states, r, turn), signal),
    storageRanges: (request, signal) => ask(SNAP_CODES.getStorageRanges, request, (r) => serveStorageRanges(states, r, turn), signal),
    byteCodes: (request, signal) => ask(SNAP_CODES.getByteCodes, request, (r) => serveByteCodes(states, r, turn), signal),
    trieNodes: (request, signal) => ask(SNAP_CODES.getTrieNodes, request, (r) => serveTrieNodes(states, r, turn), signal),
  }
  return peer
}

export function listOf(...peers: SnapPeer[]): PeerList<SnapPeer> {
  return { list: () => peers, onChange: () => () => undefined }
}
