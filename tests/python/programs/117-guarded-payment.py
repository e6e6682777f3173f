# about: Check accounts and payments; an account without cover stops the whole run by an exception of its own.
# features: raise inside a loop under a condition, custom exception with attributes, except with re-raise, finally
# latency: lookup=2 pay=1 send_email=1
# ideal_units: 5
# ideal_why: accounts 2; payments 2-3, 3-4 (the third is never made); the mail 4-5
# v1_units: 9
# v1_why: body with raise runs as reached: 2+1+2+1+2, mail 1
class NoCover(Exception):
    def __init__(self, account, missing):
        super().__init__(f"{account} lacks {missing}")
        self.account, self.missing = account, missing


done = []
try:
    for account, amount in [("acc-1", 100), ("acc-3", 250), ("acc-2", 90)]:
        balance = lookup("accounts", account)["balance"]
        if balance < amount:
            raise NoCover(account, amount - balance)
        done.append(pay(account, amount))
except NoCover as err:
    print("stopped:", err, err.missing)
    raise
finally:
    print(len(done), "paid", send_email("desk@example.com", "payments", ", ".join(done)))
