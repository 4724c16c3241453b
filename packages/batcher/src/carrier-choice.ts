/** Which carrier the next channel takes: as the operator asked, as L1's prices are now, and as L1 has taken of late. */
import type { L1TransactionRules } from '@keelson/chainspec'
import type { Logger } from '@keelson/primitives'
import { type Carrier, carrierCosts, cheaperCarrier } from './carrier.ts'
import type { BatcherOptions } from './options.ts'
import type { L1Prices } from './ports.ts'

export interface CarrierChoice {
  /** For a channel, or one of so many bytes. Never throws: without prices it stays with what it chose last. */
  choose(channel: Uint8Array | number, rules: L1TransactionRules, blobsAllowed: boolean): Promise<Carrier>
  /** The sender did not place a transaction. True when L1 takes no blobs at all, so that 'auto' does without them for a while. */
  refused(carrier: Carrier, error: unknown): boolean
}

/** Channels that go into calldata before blobs are tried again. */
const CHANNELS_WITHOUT_BLOBS = 100

export function createCarrierChoice(
  options: Pick<BatcherOptions, 'dataAvailability' | 'maxCalldataBytes' | 'maxFramesPerTransaction'>,
  prices: L1Prices | null,
  log: Logger,
): CarrierChoice {
  let last: Carrier = 'blobs'
  let withoutBlobs = 0

  function decided(carrier: Carrier, why: Record<string, unknown>): Carrier {
    if (carrier !== last) log.info(`channels go into ${carrier} now`, why as Record<string, string>)
    last = carrier
    return carrier
  }

  return {
    async choose(channel, rules, blobsAllowed) {
      if (!blobsAllowed || options.dataAvailability === 'calldata') return 'calldata'
      if (options.dataAvailability === 'blobs' || prices === null) return 'blobs'
      if (withoutBlobs > 0) {
        if (typeof channel !== 'number') withoutBlobs--
        return 'calldata'
      }
      try {
        const costs = carrierCosts(channel, await prices.feeQuote(true), rules, options)
        return decided(cheaperCarrier(costs), { calldataWei: costs.calldataWei, blobsWei: costs.blobsWei ?? 'none' })
      } catch (error) {
        log.debug('no prices of L1; channels stay where they go', { carrier: last, error })
        return last
      }
    },
    refused(carrier, error) {
      if (carrier !== 'blobs' || options.dataAvailability !== 'auto' || !isFinal(error)) return false
      if (withoutBlobs === 0) {
        log.warn('L1 takes no blobs from us; channels go into calldata for a while', { error, channels: CHANNELS_WITHOUT_BLOBS })
      }
      withoutBlobs = CHANNELS_WITHOUT_BLOBS
      last = 'calldata'
      return true
    },
  }
}

/** L1 will not take it later either. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'critical'
}
