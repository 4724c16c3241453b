/** Blocks of deposits between addresses that are new to the chain, so that each adds two accounts to the state. */
import { readGenesisBlock, readRollupConfig } from '@keelson/devnet/network-files'
import { bigintToBytes, encodeDeposit, keccak256, l2Time, TX_DEPOSIT } from '@keelson/primitives'
import { l1InfoDeposit } from '../../../packages/derivation/src/codec/l1/l1-info.ts'
import { l1InfoFor } from '../../../packages/derivation/src/l1-info-for.ts'
import type { DepositsOf } from '../../../test/support/execution-process.ts'

const TRANSFER_GAS = 21_000n

export function hashedAddress(kind: string, i: number): Uint8Array {
  return keccak256(new TextEncoder().encode(`${kind} ${i}`)).subarray(0, 20)
}

export function wideDeposits(network: string, each: number): DepositsOf {
  const rollup = readRollupConfig(network)
  const { header } = readGenesisBlock(network, rollup)
  const l1Info = (number: number) => {
    const rules = rollup.forks.blockRules(l2Time(header.timestampSec + number * rollup.blockTimeSec))
    const source = { header, hash: rollup.genesis.l1.hash, sequenceNumber: number, blobBaseFeeWei: 1n }
    return l1InfoDeposit(l1InfoFor(rules.l1InfoFormat, rollup.genesis.systemConfig, source), true).raw
  }
  const transfer = (i: number) =>
    encodeDeposit({
      type: TX_DEPOSIT,
      sourceHash: keccak256(bigintToBytes(BigInt(i), 32)),
      from: hashedAddress('sender', i),
      to: hashedAddress('receiver', i),
      mintWei: 1_000n,
      valueWei: 500n,
      gasLimit: TRANSFER_GAS,
      isSystemTx: false,
      data: new Uint8Array(0),
    }).raw
  return (number) => [l1Info(number), ...Array.from({ length: each }, (_, i) => transfer(number * each + i))]
}
