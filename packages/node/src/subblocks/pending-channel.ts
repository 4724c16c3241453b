/** Shows the block that is being built to the threads of this process that answer reads. */
import { BroadcastChannel } from 'node:worker_threads'
import type { ExecutionNode, PendingBlock } from '@keelson/execution'

const CHANNEL = 'keelson/pending-block'

export interface PendingChannel {
  close(): void
}

export function publishPending(node: Pick<ExecutionNode, 'onPending'>): PendingChannel {
  const channel = new BroadcastChannel(CHANNEL)
  channel.unref()
  const unsubscribe = node.onPending((pending) => channel.postMessage(pending))
  return {
    close() {
      unsubscribe()
      channel.close()
    },
  }
}

/** Returns the pending block that the main thread published last, or null while there is none. */
export function receivePending(): () => PendingBlock | null {
  const channel = new BroadcastChannel(CHANNEL)
  channel.unref()
  let newest: PendingBlock | null = null
  channel.onmessage = (event: unknown) => {
    newest = (event as { readonly data: PendingBlock | null }).data
  }
  return () => newest
}
