/** Thrown by the field of a subscription whose subject is gone or hidden by now: nobody is told of the event. */
export class UntoldEvent extends Error {}
