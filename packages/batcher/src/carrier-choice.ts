import type { L1TransactionRules } from '@keelson/chainspec'
import type { Logger } from '@keelson/primitives'
import { type Carrier, carrierCosts, cheaperCarrier } from './carrier.ts'
import type { BatcherOptions } from './options.ts'
import type { L1Prices } from './ports.ts'

export interface CarrierChoice {
  /** If prices are unknown, repeats the last choice. */
  choose(channel: Uint8Array | number, rules: L1TransactionRules, blobsAllowed: boolean): Promise<Carrier>
  /** Returns true if 'auto' will avoid blobs for a while. */
  refused(carrier: Carrier, error: unknown): boolean
}

const CHANNELS_WITHOUT_BLOBS = 100

export function createCarrierChoice(
  options: Pick<BatcherOptions, 'dataAvailability' | 'maxCalldataBytes' | 'maxFramesPerTransaction'>,
  prices: L1Prices | null,
  log: Logger,
): CarrierChoice {
  let last: Carrier = 'blobs'
  let withoutBlobs = 0

  function decided(carrier: Carrier, why: Record<string, unknown>): Carrier {
    if (carrier !== last) log.info(`posting channels in ${carrier}`, why as Record<string, string>)
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
        log.debug('L1 prices unavailable; keeping the carrier', { carrier: last, error })
        return last
      }
    },
    refused(carrier, error) {
      if (carrier !== 'blobs' || options.dataAvailability !== 'auto' || !isFinal(error)) return false
      if (withoutBlobs === 0) {
        log.warn('L1 rejects our blobs; posting channels in calldata for a while', { error, channels: CHANNELS_WITHOUT_BLOBS })
      }
      withoutBlobs = CHANNELS_WITHOUT_BLOBS
      last = 'calldata'
      return true
    },
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'critical'
}
