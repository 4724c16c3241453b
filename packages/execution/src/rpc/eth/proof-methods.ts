/** EIP-1186 */

import {
  type Address,
  bytesToBigint,
  bytesToHex,
  formatData,
  formatQuantity,
  hexToBytes,
  parseAddress,
  parseJsonArray,
  parseJsonObject,
  ZERO_HASH,
} from '@keelson/primitives'
import { invalidParams } from '@keelson/runtime'
import type { ReadMethods } from '../limits/read-lanes.ts'
import { argument, getBlock, LATEST, optionalArgument, parseBlockSelector, parseSlot } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { getView, stateUnavailable } from '../state-view.ts'

const MAX_PROOF_SLOTS = 1_024

export function proofMethods({ chain, state }: ReadDependencies): Pick<ReadMethods, 'eth_getProof' | 'eth_getStorageValues'> {
  return {
    eth_getStorageValues(params) {
      const wanted = argument(params, 0, parseStorageRequest)
      const view = getView(chain, state, getBlock(chain, optionalArgument(params, 1, LATEST, parseBlockSelector)))
      return Object.fromEntries(
        wanted.map(([address, slots]) => [address, slots.map((slot) => formatData(view.storage(hexToBytes(address), slot)))]),
      )
    },
    eth_getProof(params) {
      const address: Address = argument(params, 0, parseAddress)
      const keys = argument(params, 1, parseSlotList)
      const block = getBlock(chain, optionalArgument(params, 2, LATEST, parseBlockSelector))
      const slots = keys.map((key) => key.slot)
      const older = () => (chain.isCanonical(block) ? state.proofAtNumber(block.header.number, hexToBytes(address), slots) : null)
      const proof = state.proof(block.hash, hexToBytes(address), slots) ?? older()
      if (proof === null) throw stateUnavailable(state, block)
      const { account } = proof
      return {
        address,
        balance: formatQuantity(account?.balanceWei ?? 0n),
        nonce: formatQuantity(account?.nonce ?? 0n),
        codeHash: account === null ? ZERO_HASH : bytesToHex(account.codeHash),
        storageHash: account === null ? ZERO_HASH : bytesToHex(account.storageRoot),
        accountProof: proof.accountProof.map(formatData),
        storageProof: proof.storageProofs.map((slot, i) => ({
          key: keys[i]?.shown,
          value: formatQuantity(bytesToBigint(slot.value)),
          proof: slot.proof.map(formatData),
        })),
      }
    },
  }
}

function parseStorageRequest(value: unknown): (readonly [Address, Uint8Array[]])[] {
  const entries = Object.entries(parseJsonObject(value, 'storage request'))
  const wanted = entries.map(([address, slots]) => [parseAddress(address), parseJsonArray(slots, address, parseSlot)] as const)
  const count = wanted.reduce((sum, [, slots]) => sum + slots.length, 0)
  if (count === 0) throw invalidParams('empty request')
  if (count > MAX_PROOF_SLOTS) throw invalidParams(`too many slots: ${count}, at most ${MAX_PROOF_SLOTS}`)
  return wanted
}

/** The result repeats keys as given: 32 bytes, or a quantity. */
function parseSlotList(value: unknown): { readonly slot: Uint8Array; readonly shown: string }[] {
  if (!Array.isArray(value)) throw invalidParams('invalid argument 1: expected a list of storage slots')
  if (value.length > MAX_PROOF_SLOTS) throw invalidParams(`too many storage keys: ${value.length}, at most ${MAX_PROOF_SLOTS}`)
  return value.map((key) => {
    const slot = parseSlot(key)
    return { slot, shown: String(key).length === 66 ? String(key).toLowerCase() : formatQuantity(bytesToBigint(slot)) }
  })
}
