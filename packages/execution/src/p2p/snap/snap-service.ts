/** snap/1 on one session: answers the peer's requests, and sends ours. */
import { type Clock, CodecError, type Logger } from '@keelson/primitives'
import type { PeerFault } from '../../sync/ports.ts'
import type { SnapPeer } from '../../sync/snap/ports.ts'
import { P2pError } from '../p2p-error.ts'
import { RequestTracker } from '../requests/request-tracker.ts'
import { Responder } from '../requests/responder.ts'
import type { ServeTime } from '../requests/serve-time.ts'
import type { Serving } from '../requests/serving.ts'
import type { RlpxSession } from '../rlpx/session.ts'
import { isResponse, SNAP_CAPABILITY, SNAP_CODES } from './codes.ts'
import { createOpenRequests } from './open-requests.ts'
import { decodeRequest, type SnapRequest } from './requests.ts'
import { encodeResponse, type SnapResponse } from './responses.ts'
import { serveAccountRange, serveByteCodes, serveStorageRanges, serveTrieNodes } from './serve.ts'
import type { ServedStates } from './served-states.ts'

/** go-ethereum has five requests open with a peer at most. */
const MAX_WAITING_REQUESTS = 16

export interface SnapServiceDependencies {
  readonly states: ServedStates
  readonly clock: Clock
  readonly log: Logger
}

export interface ServedPeer {
  readonly id: string
  readonly serving: Serving
  /** False until the peer's status of eth is accepted: before, messages of snap break the protocol. */
  agreed(): boolean
  penalize(fault: PeerFault): void
}

export interface SnapService {
  /** Call it before reading from the session begins. */
  attach(session: RlpxSession, peer: ServedPeer): SnapPeer
}

export function createSnapService({ states, clock, log }: SnapServiceDependencies): SnapService {
  return {
    attach(session, { id, serving, agreed, penalize }) {
      const send = (code: number, payload: Uint8Array) => session.send(SNAP_CAPABILITY.name, code, payload)
      const tracker = new RequestTracker(send)
      const responder = new Responder({ clock, serving, log, maxWaiting: MAX_WAITING_REQUESTS, send })
      void session.closed.then(({ reason, by }) => {
        tracker.close(new P2pError('p2p/closed', `the session has ended: ${reason}`, { reason, by }))
        responder.stop()
      })
      session.onMessage(SNAP_CAPABILITY.name, (code, payload) => {
        if (!agreed()) throw new P2pError('p2p/message', `message ${code} of snap/1 before the status of eth`)
        if (isResponse(code)) {
          tracker.receive(code, payload)
          return
        }
        const request = decodeRequest(code, payload)
        if (request === null) throw new CodecError('codec/rlp', `snap/1 has no message ${code}`)
        responder.answer(code + 1, async (time) => encodeResponse(await serve(states, request, time)))
      })
      const requests = createOpenRequests(tracker, (detail) => void session.disconnect('protocolBreach', detail))
      return { id, penalize, ...requests }
    },
  }
}

async function serve(states: ServedStates, { code, id, request }: SnapRequest, time: ServeTime): Promise<SnapResponse> {
  switch (code) {
    case SNAP_CODES.getAccountRange:
      return { code: SNAP_CODES.accountRange, id, response: await serveAccountRange(states, request, time) }
    case SNAP_CODES.getStorageRanges:
      return { code: SNAP_CODES.storageRanges, id, response: await serveStorageRanges(states, request, time) }
    case SNAP_CODES.getByteCodes:
      return { code: SNAP_CODES.byteCodes, id, response: await serveByteCodes(states, request, time) }
    case SNAP_CODES.getTrieNodes:
      return { code: SNAP_CODES.trieNodes, id, response: await serveTrieNodes(states, request, time) }
  }
}
