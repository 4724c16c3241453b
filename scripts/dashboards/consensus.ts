import type { DashboardSpec } from './dashboard.ts'

const of = (labels = '') => `{instance=~"$instance"${labels === '' ? '' : `,${labels}`}}`

export const CONSENSUS: DashboardSpec = {
  name: 'consensus',
  title: 'Keelson consensus client',
  instanceOf: 'keelson_consensus_refs_number',
  panels: [
    { title: 'L2 heads', unit: 'none', queries: [['{{type}} {{instance}}', `keelson_consensus_refs_number${of('layer="l2"')}`]] },
    { title: 'L1 blocks', unit: 'none', queries: [['{{type}} {{instance}}', `keelson_consensus_refs_number${of('layer="l1"')}`]] },
    {
      title: 'Derivation behind L1',
      unit: 'short',
      queries: [
        [
          '{{instance}}',
          `keelson_consensus_refs_number${of('layer="l1",type="head"')} - ignoring(type) keelson_consensus_refs_number${of('layer="l1",type="derived"')}`,
        ],
      ],
      target: 10,
      alert: 20,
    },
    { title: 'Peers', unit: 'short', queries: [['{{instance}}', `keelson_consensus_p2p_peers${of()}`]], target: 25, alert: 5 },
    { title: 'Degraded states', unit: 'short', queries: [['{{state}} {{instance}}', `keelson_consensus_degraded${of()} == 1`]] },
    { title: 'Failing checks', unit: 'short', queries: [['{{check}} {{instance}}', `keelson_consensus_ready_check${of()} == 0`]] },
    {
      title: 'Resets in 15 minutes',
      unit: 'short',
      queries: [['{{kind}} {{instance}}', `increase(keelson_consensus_pipeline_resets_total${of()}[15m])`]],
      target: 1,
      alert: 3,
    },
    {
      title: 'Missed blocks in an hour',
      unit: 'short',
      queries: [['{{instance}}', `increase(keelson_consensus_sequencer_missed_slots_total${of()}[1h])`]],
      alert: 1,
    },
    {
      title: 'Steps of the sequencer, 95 %',
      unit: 's',
      queries: [['{{step}}', `histogram_quantile(0.95, sum by (step, le) (rate(keelson_consensus_sequencer_seconds_bucket${of()}[5m])))`]],
    },
    {
      title: 'Gossiped blocks per minute',
      unit: 'short',
      queries: [['{{verdict}} {{reason}} {{instance}}', `60 * rate(keelson_consensus_gossip_blocks_total${of()}[5m])`]],
    },
    {
      title: 'Derived blocks per minute',
      unit: 'short',
      queries: [['{{outcome}} {{instance}}', `60 * rate(keelson_consensus_derived_blocks_total${of()}[5m])`]],
    },
    {
      title: 'L1 calls in an hour',
      unit: 'short',
      queries: [['{{method}} {{instance}}', `keelson_consensus_l1_requests_per_hour${of()}`]],
    },
    {
      title: 'Dropped L1 data per minute',
      unit: 'short',
      queries: [['{{stage}} {{reason}}', `60 * rate(keelson_consensus_derivation_dropped_total${of()}[5m])`]],
    },
    {
      title: 'Refused connections per minute',
      unit: 'short',
      queries: [['{{direction}} {{reason}}', `60 * rate(keelson_consensus_p2p_refused_connections_total${of()}[5m])`]],
    },
    {
      title: 'Disk',
      unit: 'percentunit',
      queries: [['{{instance}}', `keelson_consensus_disk_used_ratio${of()}`]],
      target: 0.8,
      alert: 0.85,
    },
  ],
}
