import type { DashboardSpec } from './dashboard.ts'

const OF = '{instance=~"$instance"}'

export const EXECUTION: DashboardSpec = {
  name: 'execution',
  title: 'Keelson execution client',
  instanceOf: 'keelson_execution_head_number',
  panels: [
    {
      title: 'Heads',
      unit: 'none',
      queries: [
        ['unsafe {{instance}}', `keelson_execution_head_number${OF}`],
        ['safe {{instance}}', `keelson_execution_safe_number${OF}`],
        ['finalized {{instance}}', `keelson_execution_finalized_number${OF}`],
      ],
    },
    {
      title: 'Lag of the head',
      unit: 'short',
      queries: [['{{instance}}', `keelson_execution_head_lag_blocks${OF}`]],
      target: 1,
      alert: 10,
    },
    {
      title: 'Execution of a block, 99 %',
      unit: 's',
      queries: [
        [
          '{{instance}}',
          `histogram_quantile(0.99, sum by (instance, le) (rate(keelson_execution_block_execution_seconds_bucket${OF}[5m])))`,
        ],
      ],
      target: 1,
      alert: 2,
    },
    { title: 'Gas per second', unit: 'short', queries: [['{{instance}}', `rate(keelson_execution_gas_total${OF}[5m])`]] },
    { title: 'Transactions per second', unit: 'short', queries: [['{{instance}}', `rate(keelson_execution_transactions_total${OF}[5m])`]] },
    {
      title: 'Transaction pool',
      unit: 'short',
      queries: [
        ['pending {{instance}}', `keelson_execution_pool_pending${OF}`],
        ['queued {{instance}}', `keelson_execution_pool_queued${OF}`],
      ],
    },
    {
      title: 'Peers',
      unit: 'short',
      queries: [['{{instance}}', `sum without (direction) (keelson_execution_p2p_peers${OF})`]],
      target: 25,
      alert: 3,
    },
    {
      title: 'RPC calls per second',
      unit: 'reqps',
      queries: [
        ['{{class}}', `sum by (class) (rate(keelson_execution_rpc_requests_total${OF}[5m]))`],
        ['rate-limited', `sum(rate(keelson_execution_rpc_refused_total${OF}[5m]))`],
      ],
    },
    {
      title: 'RPC time, 95 %',
      unit: 's',
      queries: [
        ['{{method}}', `histogram_quantile(0.95, sum by (method, le) (rate(keelson_execution_rpc_duration_seconds_bucket${OF}[5m])))`],
      ],
    },
    {
      title: 'RPC uptime',
      unit: 'percentunit',
      queries: [['{{window}} {{instance}}', `keelson_execution_rpc_uptime_ratio${OF}`]],
      target: 0.99,
      alert: 0.95,
    },
    {
      title: 'Compiled contracts',
      unit: 'short',
      queries: [
        ['ready {{instance}}', `keelson_execution_compiled_functions${OF}`],
        ['waiting {{instance}}', `keelson_execution_compile_waiting_codes${OF}`],
        ['evicted per minute {{instance}}', `60 * rate(keelson_execution_compiled_functions_evicted_total${OF}[5m])`],
      ],
    },
    {
      title: 'Compiler per minute',
      unit: 'short',
      queries: [
        ['{{outcome}} {{instance}}', `60 * rate(keelson_execution_compile_results_total${OF}[5m])`],
        ['bail-outs {{instance}}', `60 * rate(keelson_execution_compiled_bail_outs_total${OF}[5m])`],
      ],
    },
    { title: 'Caches', unit: 'bytes', queries: [['{{cache}} {{instance}}', `keelson_execution_cache_bytes${OF}`]] },
    { title: 'Disk', unit: 'percentunit', queries: [['{{instance}}', `keelson_execution_disk_used_ratio${OF}`]], target: 0.8, alert: 0.85 },
    {
      title: 'Processors and memory',
      unit: 'percentunit',
      queries: [
        ['processors {{instance}}', `keelson_execution_machine_cpu_used_ratio${OF}`],
        ['memory {{instance}}', `keelson_execution_machine_memory_used_ratio${OF}`],
      ],
      target: 0.8,
      alert: 0.9,
    },
    { title: 'Failing checks', unit: 'short', queries: [['{{check}} {{instance}}', `keelson_execution_ready_check${OF} == 0`]] },
  ],
}
