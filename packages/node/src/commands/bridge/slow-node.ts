import type { RpcClient } from '@keelson/client'
import type { Clock } from '@keelson/primitives'

const SILENT_AFTER_MS = 6_000

export function tellingOfSilence(rpc: RpcClient, name: string, clock: Pick<Clock, 'sleep'>, say: (text: string) => void): RpcClient {
  let told = false
  const watched = async <T>(question: Promise<T>): Promise<T> => {
    const answered = new AbortController()
    clock.sleep(SILENT_AFTER_MS, answered.signal).then(
      () => {
        if (!told) say(`${name} ${rpc.host} has not answered for ${SILENT_AFTER_MS / 1000} s; waiting for it`)
        told = true
      },
      () => undefined,
    )
    try {
      const answer = await question
      told = false
      return answer
    } finally {
      answered.abort()
    }
  }
  return {
    host: rpc.host,
    call: (...args) => watched(rpc.call(...args)),
    batch: (...args) => watched(rpc.batch(...args)),
    close: () => rpc.close(),
  }
}
