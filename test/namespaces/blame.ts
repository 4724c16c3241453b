import assert from 'node:assert/strict'

/** Reads the faults of peers in the metrics of a client. Throws if a peer was banned, or blamed for more than being late. */
export function assertNobodyBlamed(metrics: string, node: number): string {
  const bans = /p2p_bans_total (\d+)/.exec(metrics) ?? assert.fail(`client ${node} does not count bans`)
  assert.equal(bans[1], '0', `client ${node} banned a peer`)
  // A kind without a fault has no line.
  const faults = (kind: string) => Number(new RegExp(`p2p_faults_total\\{kind="${kind}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0)
  for (const kind of ['invalid', 'protocol']) assert.equal(faults(kind), 0, `client ${node} blames peers for faults of the kind ${kind}`)
  return `nobody banned, ${faults('useless')} late or empty responses`
}
