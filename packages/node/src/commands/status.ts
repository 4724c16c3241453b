import { createSystemClock, type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { createProbe } from '../doctor/probe.ts'
import { devnetFolder, openDevnet } from '../doctor/running-devnet.ts'
import { createLiveScreen } from '../status/live-screen.ts'
import { readStatus, type StatusSources } from '../status/read-status.ts'
import { renderStatus } from '../status/render-status.ts'

const TIMEOUT_MS = 3_000
const PLAIN_WIDTH = 120
const HOST = 'http://127.0.0.1'

const options = {
  devnet: optionalOption({
    key: 'status.devnet',
    flag: 'devnet',
    parse: devnetFolder,
    description: 'Looks at the sequencer of a running development network, and takes its clock.',
  }),
  rpc: optionalOption({ key: 'status.rpc', flag: 'rpc', parse: parse.httpUrl, description: `Execution client. Default: ${HOST}:8545.` }),
  rollupRpc: optionalOption({
    key: 'status.rollupRpc',
    flag: 'rollup-rpc',
    parse: parse.httpUrl,
    description: `Consensus client. Default: ${HOST}:9545.`,
  }),
  health: option({
    key: 'status.health',
    flag: 'health',
    parse: parse.list(parse.httpUrl),
    default: [],
    description: `Health ports of the execution and the consensus client, which say what is wrong. Default: ${HOST}:6060,${HOST}:7300.`,
  }),
  interval: option({
    key: 'status.interval',
    flag: 'interval',
    parse: parse.duration(200, 3_600_000),
    default: 2_000,
    description: 'Time between two looks.',
  }),
  once: option({ key: 'status.once', flag: 'once', parse: parse.toggle, default: false, description: 'Look once and end.' }),
  json: option({ key: 'status.json', flag: 'json', parse: parse.toggle, default: false, description: 'Look once and print JSON.' }),
} as const

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'heads, lag, peers, last blocks of a running node, what is wrong and what to do',
  usage: '[--devnet [FOLDER]] [--rpc URL] [--rollup-rpc URL] [--health URL,URL] [--once] [--json]',
  explanation: `On a terminal the screen is redrawn until Ctrl-C; elsewhere, and with --once or --json, it is printed once. The exit code is
then 1 when something is wrong.`,
  options,
  async run(values) {
    const { sources, clockOffsetMs } = sourcesOf(values)
    const clock = createSystemClock({ offsetMs: clockOffsetMs })
    const probe = createProbe({ timeoutMs: TIMEOUT_MS, nowMs: () => clock.nowMs() })
    const look = () => readStatus(sources, { probe, nowMs: () => clock.nowMs() })
    try {
      if (process.stdout.isTTY && !values.once && !values.json) {
        await follow(values.interval, look)
        return 0
      }
      const status = await look()
      const text = values.json ? JSON.stringify(status, null, 2) : renderStatus(status, process.stdout.columns ?? PLAIN_WIDTH).join('\n')
      console.log(text)
      return status.problems.length === 0 ? 0 : 1
    } finally {
      probe.close()
    }
  },
})

/** Until SIGINT or SIGTERM. */
async function follow(intervalMs: number, look: () => ReturnType<typeof readStatus>): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const clock = createSystemClock()
  const screen = createLiveScreen(process.stdout)
  try {
    while (!stopping.signal.aborted) {
      screen.draw(renderStatus(await look(), process.stdout.columns ?? PLAIN_WIDTH))
      await clock.sleep(intervalMs, stopping.signal).catch(() => undefined)
    }
  } finally {
    screen.end()
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

function sourcesOf(values: OptionValues<typeof options>): { readonly sources: StatusSources; readonly clockOffsetMs: number } {
  const facts = values.devnet === null ? null : openDevnet(values.devnet).facts
  const usual = facts === null ? [`${HOST}:6060`, `${HOST}:7300`] : [facts.metrics.execution, facts.metrics.consensus]
  const [execution, consensus] = values.health.length > 0 ? values.health : usual
  const health = [
    ...(execution === undefined ? [] : [['execution', execution] as const]),
    ...(consensus === undefined ? [] : [['consensus', consensus] as const]),
  ]
  return {
    clockOffsetMs: facts?.clockOffsetMs ?? 0,
    sources: {
      rpc: values.rpc ?? facts?.l2.rpcUrl ?? `${HOST}:8545`,
      rollupRpc: values.rollupRpc ?? facts?.l2.rollupRpcUrl ?? `${HOST}:9545`,
      health: health.map(([client, url]) => [client, new URL(url).origin] as const),
    },
  }
}
