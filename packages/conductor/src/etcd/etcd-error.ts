import { ConductorError } from '../errors.ts'

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
