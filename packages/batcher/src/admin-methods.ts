import { invalidParams, RPC_ERROR_NUMBERS, RpcError, type RpcMethods } from '@keelson/runtime'
import type { Carrier } from './carrier.ts'
import type { OpenChannelState } from './channel-manager.ts'
import type { Throttle } from './throttle.ts'
import { THROTTLE_CONTROLLERS, type ThrottleController, type ThrottleOptions } from './throttle-options.ts'

export interface BatcherStatus {
  readonly active: boolean
  readonly waitingFor: string | null
  readonly trouble: string | null
  readonly lastBatchedBlock: number | null
  readonly pendingTransactions: number
  readonly placing: boolean
  readonly lastInclusionL1Block: number | null
  readonly channels: readonly { readonly channelId: string; readonly lastBlock: number; readonly completedAtL1Block: number | null }[]
  readonly openChannel: OpenChannelState | null
  readonly waitingTransactions: readonly { readonly label: string; readonly carrier: Carrier }[]
}

export interface AdminTarget {
  active(): boolean
  start(): void
  stop(): void
  flush(): boolean
  status(): BatcherStatus
  readonly throttle: Throttle
  readonly throttleOptions: ThrottleOptions
}

/** admin_setThrottleControllerType is an alias of admin_setThrottleController. */
export function createAdminMethods(target: AdminTarget): RpcMethods {
  const { throttle, throttleOptions } = target
  const setController = ([type]: readonly unknown[]): null => {
    if (!THROTTLE_CONTROLLERS.includes(type as ThrottleController)) {
      throw invalidParams(`expected a controller (${THROTTLE_CONTROLLERS.join(', ')}), got ${JSON.stringify(type)?.slice(0, 40)}`)
    }
    throttle.controller = type as ThrottleController
    return null
  }
  return {
    admin_startBatcher() {
      target.start()
      return null
    },
    admin_stopBatcher() {
      target.stop()
      return null
    },
    admin_flushBatcher() {
      if (target.flush()) return null
      throw new RpcError(RPC_ERROR_NUMBERS.server, 'cannot flush: the batcher is stopped; call admin_startBatcher first')
    },
    admin_batcherActive: () => target.active(),
    admin_batcherStatus: () => target.status(),
    admin_getThrottleController() {
      const { backlogBytes, intensity, transactionBytes, blockBytes } = throttle.state
      return {
        type: throttle.controller,
        lower_threshold: throttleOptions.throttleLowerThresholdBytes,
        upper_threshold: throttleOptions.throttleUpperThresholdBytes,
        current_load: backlogBytes,
        intensity,
        max_tx_size: transactionBytes ?? 0,
        max_block_size: blockBytes ?? 0,
      }
    },
    admin_setThrottleController: setController,
    admin_setThrottleControllerType: setController,
    admin_resetThrottleController() {
      throttle.controller = throttleOptions.throttleController
      return null
    },
  }
}
