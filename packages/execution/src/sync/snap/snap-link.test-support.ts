import type { Logger } from '@keelson/primitives'
import { createServing } from '../../p2p/requests/serving.ts'
import type { RlpxSession } from '../../p2p/rlpx/session.ts'
import { createSessionWorld, SNAP_1 } from '../../p2p/rlpx/session-world.test-support.ts'
import type { ServedStates } from '../../p2p/snap/served-states.ts'
import { createServedStates } from '../../p2p/snap/served-states.ts'
import { createSnapService } from '../../p2p/snap/snap-service.ts'
import type { PeerFault } from '../ports.ts'
import type { SnapPeer } from './ports.ts'
import type { StateChain } from './state-chain.test-support.ts'

const ignore = () => undefined
const agreed = () => true
export const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => SILENT }
const NO_STATES: ServedStates = { at: () => null, code: () => null }

export interface SnapLink {
  readonly peer: SnapPeer
  readonly faults: PeerFault[]
  /** The session of the side that asks. */
  readonly session: RlpxSession
}

/** A session over which one side asks the other for the states of `served`. */
export async function openSnapLink(served: StateChain, id = 'peer'): Promise<SnapLink> {
  const world = createSessionWorld({ dialer: [SNAP_1], listener: [SNAP_1] })
  const [dialer, listener] = await world.open()
  const faults: PeerFault[] = []
  const { clock } = world
  const log = SILENT
  const serving = createServing(clock)
  const server = createSnapService({ states: createServedStates(served.chain, served.state), clock, log })
  server.attach(listener, { id: 'client', serving, agreed, penalize: ignore })
  const client = createSnapService({ states: NO_STATES, clock, log })
  const peer = client.attach(dialer, { id, serving, agreed, penalize: (fault) => void faults.push(fault) })
  return { peer, faults, session: dialer }
}
