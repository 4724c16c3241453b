import { counted } from '@keelson/primitives'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { ok, skip, warn } from '../finding.ts'

export const executionPeersCheck: DoctorCheck = {
  name: 'execution peers',
  settles: () => true,
  async run(context) {
    const listening = await resultOf(context, 'net_listening')
    if (typeof listening !== 'boolean') return skip('peers of the execution client', 'no execution client runs')
    if (!listening) return skip('peers of the execution client', 'it has no network (--p2p.enabled)')
    const count = Number(await resultOf(context, 'net_peerCount'))
    if (count > 0) return ok(`the running execution client has ${counted(count, 'peer')}`)
    return warn(
      'the running execution client has no peers',
      'blocks that were missed are then derived from L1, which takes longer, and transactions are not gossiped',
      'name nodes of this chain with --p2p.static or --p2p.bootnodes, and see that --p2p.port is open for TCP and UDP',
    )
  },
}

async function resultOf({ probe, settings, otherNetwork }: DoctorContext, method: string): Promise<unknown> {
  if (otherNetwork) return null
  const answer = await probe.call(settings.httpRpc, method, [])
  return answer.kind === 'result' ? answer.value : null
}
