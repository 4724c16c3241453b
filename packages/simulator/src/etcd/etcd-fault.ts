/** Status codes of gRPC. */
export const INVALID_ARGUMENT = 3
export const NOT_FOUND = 5

/** An error that etcd answers. */
export class EtcdFault extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
