import assert from 'node:assert/strict'
import type { Hex } from 'viem'
import type { ViemClients } from './viem-clients.ts'

function creationOf(runtime: string): Hex {
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  return `0x60${size}600c60003960${size}6000f3${runtime}`
}

/** Stores caller, value and first word of calldata in slots 0 to 2. */
export const RECORDER = creationOf('33600055' + '34600155' + '60003560025500')

/** Calls the address in calldata's first word with the remaining data and the whole value. */
export const FORWARDER = creationOf('60203603' + '806020600037' + '6000600082600034' + '6000355af1' + '601e57' + '600080fd' + '5b00')

export const REFUSER = creationOf('600080fd')

export async function deploy(clients: ViemClients, chain: 'L1' | 'L2', creationCode: Hex): Promise<Hex> {
  const request = { data: creationCode } as never
  const awaited = (hash: Hex) => ({ hash, timeout: 240_000 })
  const receipt =
    chain === 'L1'
      ? clients.publicL1.waitForTransactionReceipt(awaited(await clients.walletL1.sendTransaction(request)))
      : clients.publicL2.waitForTransactionReceipt(awaited(await clients.walletL2.sendTransaction(request)))
  const { status, contractAddress } = await receipt
  assert.equal(status, 'success')
  assert.ok(contractAddress)
  return contractAddress
}
