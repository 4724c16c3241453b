import { RpcResponseError } from './client-error.ts'
import type { RpcClient } from './rpc/rpc-client.ts'

export type FakeMethods = Record<string, (...params: never[]) => unknown>

export interface FakeRpc extends RpcClient {
  readonly calls: { readonly method: string; readonly params: readonly unknown[] }[]
  methods: FakeMethods
}

export function rpcFailure(number: number, text: string, data?: unknown): RpcResponseError {
  return new RpcResponseError('critical', 'test', number, text, data)
}

export function createFakeRpc(methods: FakeMethods): FakeRpc {
  const fake: FakeRpc = {
    host: 'fake.example',
    calls: [],
    methods,
    async call(method, params) {
      fake.calls.push({ method, params })
      const answer = fake.methods[method]
      if (answer === undefined) throw rpcFailure(-32601, `the method ${method} does not exist/is not available`)
      return JSON.parse(JSON.stringify((await answer(...(params as never[]))) ?? null))
    },
    batch: (calls) =>
      Promise.all(
        calls.map(({ method, params }) =>
          fake.call(method, params).then(
            (result) => ({ ok: true as const, result }),
            (error: Error) => ({ ok: false as const, error }),
          ),
        ),
      ),
    close: () => undefined,
  }
  return fake
}
