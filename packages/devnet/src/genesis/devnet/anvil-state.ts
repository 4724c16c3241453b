/**
 * anvil 1.7.1 accepts `--init` only without `--state`. State file and arguments must yield the same header, or a restart creates
 * a second block 0.
 */
import { type Genesis, genesisHeader, l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, EMPTY_TRIE_ROOT, formatQuantity, type Header } from '@keelson/primitives'
import type { DevnetGenesis } from './build-devnet-genesis.ts'

const NO_BLOB_PRICE = { excess_blob_gas: 0, blob_gasprice: 1 }

export function anvilGenesisState(genesis: DevnetGenesis): Record<string, unknown> {
  const header = genesisHeader(genesis.l1, EMPTY_TRIE_ROOT, null, l1ForkRules(genesis.parameters.l1Fork))
  return {
    block: {
      number: '0x0',
      beneficiary: header.feeRecipient,
      timestamp: formatQuantity(header.timestampSec),
      gas_limit: Number(header.gasLimit),
      basefee: Number(header.baseFeeWei),
      difficulty: '0x0',
      prevrandao: header.mixHash,
      blob_excess_gas_and_price: NO_BLOB_PRICE,
      slot_num: 0,
    },
    accounts: anvilAccounts(genesis.l1),
    best_block_number: 0,
    blocks: [{ header: anvilHeader(header), transactions: [], ommers: [], withdrawals: null }],
    transactions: [],
    historical_states: null,
  }
}

export function anvilGenesisArguments({ l1, parameters }: DevnetGenesis): readonly string[] {
  return [
    ...['--chain-id', String(parameters.l1ChainId), '--hardfork', parameters.l1Fork],
    ...['--timestamp', String(l1.timestampSec), '--gas-limit', String(l1.gasLimit)],
    ...['--block-base-fee-per-gas', String(l1.baseFeeWei), '--accounts', '0'],
  ]
}

function anvilAccounts({ accounts }: Genesis): Record<string, unknown> {
  return Object.fromEntries(
    accounts.map((account) => [
      account.address,
      {
        nonce: Number(account.nonce),
        balance: formatQuantity(account.balanceWei),
        code: bytesToHex(account.code),
        storage: Object.fromEntries(account.storage.map(([slot, value]) => [bytesToHex(slot), bytesToHex(value)])),
      },
    ]),
  )
}

function anvilHeader(header: Header): Record<string, unknown> {
  const optional = (key: string, value: bigint | string | null) =>
    value === null ? {} : { [key]: typeof value === 'bigint' ? formatQuantity(value) : value }
  return {
    parentHash: header.parentHash,
    sha3Uncles: header.ommersHash,
    miner: header.feeRecipient,
    stateRoot: header.stateRoot,
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: bytesToHex(header.logsBloom),
    difficulty: formatQuantity(header.difficulty),
    number: formatQuantity(header.number),
    gasLimit: formatQuantity(header.gasLimit),
    gasUsed: formatQuantity(header.gasUsed),
    timestamp: formatQuantity(header.timestampSec),
    extraData: bytesToHex(header.extraData),
    mixHash: header.mixHash,
    nonce: bytesToHex(header.nonce),
    ...optional('baseFeePerGas', header.baseFeeWei),
    ...optional('withdrawalsRoot', header.withdrawalsRoot),
    ...optional('blobGasUsed', header.blobGasUsed),
    ...optional('excessBlobGas', header.excessBlobGas),
    ...optional('parentBeaconBlockRoot', header.parentBeaconBlockRoot),
    ...optional('requestsHash', header.requestsHash),
  }
}
