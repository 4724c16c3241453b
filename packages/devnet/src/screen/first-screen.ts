import { asCalled, npmScript } from '@keelson/runtime'
import type { DevnetFile } from '../prepare/devnet-file.ts'
import { devnetFilePath } from '../prepare/devnet-file.ts'
import { contractSections } from './contract-sections.ts'

const PUBLIC_NETWORK_IDS: Readonly<Record<number, string>> = { 84532: 'Base Sepolia' }

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return [title, ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join('\n')
}

const SERVICES: readonly (readonly [name: keyof DevnetFile['services'], path: string, purpose: string])[] = [
  ['faucet', '/api/claim', 'POST {"address": ...} pays 10'],
  ['bridge', '/api/status/L1_TRANSACTION_HASH', 'where a deposit is'],
  ['index', '/api/blocks', 'histories of blocks, addresses and tokens'],
  ['platform', '/openapi.json', 'agents: register, log in, open a session'],
]

const WEI_PER_COIN = 10n ** 18n

export interface FirstScreenInput {
  readonly facts: DevnetFile
  readonly folder: string
  readonly symbol: string
  /** Balance of each account at genesis. */
  readonly balanceWei: bigint
  readonly version: string
  readonly readyAfterMs: number
  readonly continuesFrom: number
  readonly fork: string
  readonly forksToCome: string | null
}

export function firstScreen(input: FirstScreenInput): string {
  const { facts, folder, symbol, version, readyAfterMs, continuesFrom, fork, forksToCome } = input
  const { l1, l2, validator, standby, conductor } = facts
  const clash = PUBLIC_NETWORK_IDS[l2.chainId]
  const slow = continuesFrom === 0 ? '; the platform makes its database first, which takes 10 s to a minute' : ''
  const chain = continuesFrom === 0 ? 'a new chain' : `continuing at block ${continuesFrom}`
  const parts = [
    `Keelson ${version}: development rollup ready after ${(readyAfterMs / 1000).toFixed(1)} s, ${chain}`,
    ...(facts.services.web === null
      ? []
      : [`Open ${facts.services.web} in a browser: the chain at a glance, explorer, bridge, validators, network, faucet, chat, agents.`]),
    section(`L2  chain id ${l2.chainId}  currency ${symbol}  fork ${fork}`, [
      ['HTTP RPC', l2.rpcUrl],
      ['WebSocket', l2.wsUrl],
      ['rollup RPC', l2.rollupRpcUrl],
      ['validator', `${validator.rpcUrl}  (derives the same chain from L1, and attests: ${asCalled('validator status')})`],
      ...(standby === null ? [] : [['standby', `${standby.rpcUrl}  rollup RPC ${standby.rollupRpcUrl}  (the second sequencer)`] as const]),
      ...(conductor === null
        ? []
        : [['conductor', `${conductor.operatorUrl}  (decides who leads; tokens: ${conductor.secrets}/operator.hex)`] as const]),
      ['metrics', `${facts.metrics.execution}  ${facts.metrics.consensus}`],
      ...(forksToCome === null ? [] : [['forks to come', forksToCome] as const]),
    ]),
    section(`L1  chain id ${l1.chainId}  anvil`, [
      ['HTTP RPC', l1.rpcUrl],
      ['beacon API', l1.beaconUrl],
    ]),
    section(
      `Services, opening now: a line says when each answers${slow}`,
      SERVICES.flatMap(([name, path, purpose]) => {
        const url = facts.services[name]
        return url === null ? [] : [[name, `${url}${path}  (${purpose})`] as const]
      }),
    ),
    section(
      `Accounts, ${(input.balanceWei / WEI_PER_COIN).toLocaleString('en-US')} each on L1 and L2`,
      facts.accounts.map(({ address, privateKey }) => [address, privateKey] as const),
    ),
    '  Everybody knows these keys: never fund these accounts on a public network.',
    ...(clash === undefined
      ? []
      : [`  ${l2.chainId} is also the chain id of ${clash}: what is signed here can be replayed there, so use no key that owns anything.`]),
    ...contractSections(facts.contracts).map(({ title, rows }) => section(title, rows)),
    `The same as JSON: ${devnetFilePath(folder)}\nCtrl-C stops (${npmScript('stop', folder)}, if in the background); the next start continues the chain; --fresh begins a new one.`,
  ]
  return `\n${parts.join('\n\n')}\n`
}
