/** EIP-7910 */
import type { BlockRules } from '@keelson/chainspec'
import { BEACON_ROOTS, formatQuantity, HISTORY_STORAGE, toAddress } from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import type { BlockPosition, ForkPoints } from '../../chain-rules.ts'
import { forkHashText, forkId } from '../../fork-id/fork-id.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

export function nodeInfoMethods(deps: RpcDependencies): RpcMethods {
  const { chain } = deps
  const genesis = chain.genesis
  const forks = deps.rules.forkPoints?.(genesis) ?? null
  return {
    ...(forks === null ? {} : { eth_config: () => forkConfigs(deps, forks) }),
    eth_capabilities() {
      const head = chain.label('unsafe')
      const first = formatQuantity(genesis.header.number)
      const kept = { disabled: false, oldestBlock: first }
      const states = {
        disabled: false,
        oldestBlock: formatQuantity(deps.state.oldestHistory ?? head.header.number),
        ...(Number.isFinite(deps.historyBlocks)
          ? { deleteStrategy: { type: 'window', retentionBlocks: formatQuantity(deps.historyBlocks) } }
          : {}),
      }
      return {
        head: { number: formatQuantity(head.header.number), hash: head.hash },
        state: states,
        tx: kept,
        logs: kept,
        receipts: kept,
        blocks: kept,
        stateproofs: states,
      }
    },
  }
}

function forkConfigs(deps: RpcDependencies, forks: ForkPoints) {
  const { timestampSec } = deps.chain.label('unsafe').header
  const genesisTime = deps.chain.genesis.header.timestampSec
  const times = [genesisTime, ...forks.times]
  const current = times.filter((time) => time <= timestampSec).at(-1) ?? genesisTime
  const next = times.find((time) => time > timestampSec)
  const last = times.at(-1) as number
  // If the newest rules report a zero blob schedule, all forks of the chain report it.
  const { missingBlobSchedule } = rulesAtTime(deps, forks, last)
  const configOf = (timeSec: number) => configAt(deps, forks, timeSec, missingBlobSchedule === 'zeroes' ? NO_BLOBS : null)
  return {
    current: configOf(current),
    next: next === undefined ? null : configOf(next),
    last: next === undefined ? null : configOf(last),
  }
}

const NO_BLOBS = { baseFeeUpdateFraction: 0, max: 0, target: 0 }

function rulesAtTime(deps: RpcDependencies, forks: ForkPoints, timeSec: number): BlockRules {
  return deps.rules.rulesAt(positionAt(deps, forks, timeSec))
}

/** EIP-7910 lists forks by time only: those by block number have passed. */
function positionAt({ chain }: RpcDependencies, forks: ForkPoints, timestampSec: number): BlockPosition {
  return { number: Math.max(chain.genesis.header.number, ...forks.blocks), timestampSec }
}

function configAt(deps: RpcDependencies, forks: ForkPoints, timeSec: number, missingBlobs: typeof NO_BLOBS | null) {
  const { chain, chainId, evm } = deps
  const { timestampSec: genesisTime } = chain.genesis.header
  const rules = rulesAtTime(deps, forks, timeSec)
  const blobs = rules.blobParameters
  const id = forkId(forks, positionAt(deps, forks, timeSec))
  const precompiles = evm
    .precompiles(rules)
    .map((address) => toAddress(address))
    .map((address) => [PRECOMPILE_NAMES[Number(BigInt(address))] ?? address, address] as const)
  return {
    activationTime: timeSec <= genesisTime ? 0 : timeSec,
    blobSchedule:
      blobs === null ? missingBlobs : { baseFeeUpdateFraction: Number(blobs.baseFeeUpdateFraction), max: blobs.max, target: blobs.target },
    chainId: formatQuantity(chainId),
    forkId: forkHashText(id.hash),
    precompiles: Object.fromEntries([...precompiles].sort(([a], [b]) => (a < b ? -1 : 1))),
    systemContracts: {
      ...(rules.parentBeaconRoot ? { BEACON_ROOTS_ADDRESS: BEACON_ROOTS } : {}),
      ...(rules.requests === 'list' ? requestContracts(forks) : {}),
      ...(rules.historyContract ? { HISTORY_STORAGE_ADDRESS: HISTORY_STORAGE } : {}),
    },
  }
}

function requestContracts(forks: ForkPoints) {
  return {
    CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
    ...(forks.depositContract === undefined ? {} : { DEPOSIT_CONTRACT_ADDRESS: forks.depositContract }),
    WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: '0x00000961ef480eb55e80d19ad83579a64c007002',
  }
}

const PRECOMPILE_NAMES: Readonly<Record<number, string>> = {
  1: 'ECREC',
  2: 'SHA256',
  3: 'RIPEMD160',
  4: 'ID',
  5: 'MODEXP',
  6: 'BN254_ADD',
  7: 'BN254_MUL',
  8: 'BN254_PAIRING',
  9: 'BLAKE2F',
  10: 'KZG_POINT_EVALUATION',
  11: 'BLS12_G1ADD',
  12: 'BLS12_G1MSM',
  13: 'BLS12_G2ADD',
  14: 'BLS12_G2MSM',
  15: 'BLS12_PAIRING_CHECK',
  16: 'BLS12_MAP_FP_TO_G1',
  17: 'BLS12_MAP_FP2_TO_G2',
  256: 'P256VERIFY',
}
