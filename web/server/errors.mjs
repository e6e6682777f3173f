// The one kind of error that goes to the page: a Python exception type that the program may catch, and a sentence.

export class ToolFailure extends Error {
  // `type`: name of the exception that the Python program sees. `failure`: "stable" (asking again gives the same) or
  // "transient".
  constructor(type, message, failure = 'stable') {
    super(message);
    this.type = type;
    this.failure = failure;
  }
}

export const fail = (type, message, failure) => { throw new ToolFailure(type, message, failure); };
