import { counted } from '@keelson/primitives'
import { parsePeerAddress } from '../dial-peer.ts'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'

export const peersCheck: DoctorCheck = {
  name: 'peers',
  settles: ({ peers }) => peers.length === 0,
  async run(context) {
    const { settings } = context
    const connected = await connectedPeers(context)
    const configured = await Promise.all(settings.peers.map((address) => judgePeer(address, context)))
    if (connected === null && configured.length === 0)
      return skip('peers', 'none are configured (--p2p.peers), and no consensus client runs')
    if (connected === null) return configured
    if (connected === 0) {
      const why = 'unsafe blocks come from peers alone; the safe head follows L1 without any'
      return [
        warn('the running node has no peers', why, 'give --p2p.peers, and see that their ports and ours can be reached'),
        ...configured,
      ]
    }
    return [ok(`the running node has ${counted(connected, 'peer')}`), ...configured]
  },
}

async function judgePeer(address: string, { machine }: DoctorContext): Promise<Result> {
  const peer = parsePeerAddress(address)
  if (peer === null)
    return fail(`${address} is not an address of a peer`, 'it has no TCP port', 'write it as /ip4/203.0.113.7/tcp/9222/p2p/16Uiu2...')
  const why = await machine.dialPeer(peer.host, peer.port)
  if (why === null) return ok(`${peer.host}:${peer.port} answers as a libp2p node`)
  return fail(
    `the peer ${peer.host}:${peer.port} cannot be reached`,
    why,
    'ask its operator for the address it announces; see firewalls on the way',
  )
}

async function connectedPeers({ probe, settings, otherNetwork }: DoctorContext): Promise<number | null> {
  if (otherNetwork) return null
  const answer = await probe.call(settings.rollupRpc, 'opp2p_peerStats', [])
  const connected = answer.kind === 'result' ? (answer.value as { connected?: unknown } | null)?.connected : null
  return typeof connected === 'number' ? connected : null
}
