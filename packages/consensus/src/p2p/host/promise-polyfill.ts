/** Node 20 lacks Promise.withResolvers, which libp2p's dependencies call on load. */
interface Resolvers {
  readonly promise: Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

const target = Promise as unknown as { withResolvers?: () => Resolvers }

target.withResolvers ??= () => {
  let resolve: Resolvers['resolve'] = () => undefined
  let reject: Resolvers['reject'] = () => undefined
  const promise = new Promise<unknown>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
