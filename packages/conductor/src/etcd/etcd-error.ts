import { ConductorError } from '../errors.ts'

/** Status code of gRPC, of a write under a lease that etcd has ended. */
export const NOT_FOUND = 5

/** etcd answered that it does not do what it was asked. */
export class EtcdRefusal extends ConductorError {
  /** Status code of gRPC. */
  readonly status: number
  constructor(status: number, message: string) {
    super('temporary', message)
    this.status = status
  }
}

/** No member answered in time, or none has a majority behind it. A write may have happened. */
export class EtcdUnavailable extends ConductorError {
  constructor(message: string, options?: ErrorOptions) {
    super('temporary', message, {}, options)
  }
}

/** etcd lost what was written to it, or is another one. */
export class EtcdReplaced extends ConductorError {
  constructor(fault: string) {
    super('temporary', `etcd was replaced, or restored from a backup: ${fault}`)
  }
}
