import type { DashboardSpec } from './dashboard.ts'

export const NETWORK: DashboardSpec = {
  name: 'network',
  title: 'Keelson network',
  instanceOf: null,
  panels: [
    { title: 'Clients that answer', unit: 'short', queries: [['{{job}} {{instance}}', 'up{job=~"keelson-.*"}']] },
    { title: 'Lag of the heads', unit: 'short', queries: [['{{instance}}', 'keelson_execution_head_lag_blocks']], target: 1, alert: 10 },
    { title: 'Failing checks', unit: 'short', queries: [['{{job}} {{check}} {{instance}}', '{__name__=~"keelson_.*_ready_check"} == 0']] },
    {
      title: 'Blocks that are not safe',
      unit: 'short',
      queries: [
        [
          '{{instance}}',
          'keelson_consensus_refs_number{layer="l2",type="unsafe"} - ignoring(type) keelson_consensus_refs_number{layer="l2",type="safe"}',
        ],
      ],
    },
    { title: 'Data that waits for L1', unit: 'bytes', queries: [['{{instance}}', 'keelson_batcher_backlog_bytes']] },
    {
      title: 'Posted to L1 per hour',
      unit: 'bytes',
      queries: [['{{carrier}}', '3600 * sum by (carrier) (rate(keelson_batcher_posted_bytes_total[15m]))']],
    },
    {
      title: 'Spent on L1 in the last hour, gwei',
      unit: 'short',
      queries: [
        ['batcher', 'keelson_batcher_l1_spent_last_hour_gwei'],
        ['proposer', 'keelson_proposer_l1_spent_last_hour_gwei'],
      ],
    },
    {
      title: 'Funds on L1, hours at this spending',
      unit: 'h',
      queries: [['batcher', 'keelson_batcher_l1_balance_gwei / (keelson_batcher_l1_spent_last_hour_gwei > 0)']],
      target: 168,
      alert: 24,
    },
    { title: 'Output roots behind', unit: 'short', queries: [['{{instance}}', 'keelson_proposer_proposals_due_blocks']] },
    {
      title: 'Uptime of validators',
      unit: 'percentunit',
      queries: [['{{key}} {{window}}', 'keelson_validator_uptime_ratio']],
      alert: 0.99,
      target: 0.999,
    },
    {
      title: 'Missed attestations in an hour',
      unit: 'short',
      queries: [['{{key}}', 'increase(keelson_validator_missed_attestations_total[1h])']],
      alert: 1,
    },
    {
      title: 'Days left in the reward pool',
      unit: 'd',
      queries: [['{{instance}}', 'keelson_validator_reward_pool_days_left']],
      target: 30,
      alert: 14,
    },
    {
      title: 'Deposits',
      unit: 'short',
      queries: [
        ['open', 'keelson_bridge_deposits_open'],
        ['stuck', 'keelson_bridge_deposits_stuck'],
      ],
    },
    {
      title: 'Faucet claims in 24 hours',
      unit: 'short',
      queries: [
        ['claims', 'keelson_faucet_claims_last_day'],
        ['limit', 'keelson_faucet_claims_per_day_limit'],
      ],
    },
    { title: 'Leader of the faucet', unit: 'short', queries: [['{{instance}}', 'keelson_faucet_leader']] },
    { title: 'Leader of the sequencers', unit: 'short', queries: [['{{candidate}}', 'max by (candidate) (keelson_conductor_leader)']] },
    {
      title: 'Stores that are shared',
      unit: 'short',
      queries: [
        ['Redis from {{job}} {{instance}}', '{__name__=~"keelson_(execution|router)_rpc_limits_shared"}'],
        ['etcd from {{instance}}', 'keelson_conductor_store_reachable'],
      ],
    },
    {
      title: 'Transactions routed per second',
      unit: 'reqps',
      queries: [['{{outcome}}', 'sum by (outcome) (rate(keelson_router_transactions_total[5m]))']],
    },
    {
      title: 'Event loop, 99 %',
      unit: 's',
      queries: [['{{job}} {{instance}}', 'nodejs_eventloop_lag_p99_seconds{job=~"keelson-.*"}']],
      target: 0.1,
      alert: 1,
    },
  ],
}
