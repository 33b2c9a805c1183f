import { equal } from "../testing/assert.ts";
import { deliveryOf } from "./delivery.ts";

const way = (...received: string[]) => {
  const step = deliveryOf(received);
  return step && `${step.from} > ${step.by}: ${step.isEncrypted ? step.version ?? "yes" : "no"}`;
};

Deno.test("the last step to the service is read, in the words of many servers", () => {
  equal(
    way(
      "by 2002:a05:6358:1 with SMTP id q1; Tue, 3 Nov 2026 08:00:00 -0800 (PST)",
      "from mail.example.org (mail.example.org. [192.0.2.7]) by mx.google.com with ESMTPS id x for <a@gmail.com> " +
        "(version=TLS1_3 cipher=TLS_AES_128_GCM_SHA256 bits=128/128); Tue, 3 Nov 2026 08:00:00 -0800 (PST)",
    ),
    "mail.example.org > mx.google.com: TLS 1.3",
  );
  equal(
    way(
      "from mx1.example.com (localhost [127.0.0.1]) by store.example.com (Dovecot) with LMTP id 1; now",
      "from out.other.net (out.other.net [198.51.100.2]) (using TLSv1.2 with cipher X (256/256 bits))\r\n" +
        "\t(No client certificate requested)\r\n\tby mx1.example.com (Postfix) with ESMTPS id 2; now",
    ),
    "out.other.net > mx1.example.com: TLS 1.2",
  );
  equal(
    way("from [203.0.113.9] (helo=shop.example.net) by mx.example.com with esmtp (Exim 4.96) id 1; now"),
    "[203.0.113.9] > mx.example.com: no",
  );
  equal(
    way("from a.example.net by mx.example.co.uk with UTF8SMTPS id 1; now"),
    "a.example.net > mx.example.co.uk: yes",
  );
});

Deno.test("steps within a service are passed by", () => {
  equal(
    way(
      "from a.prod.outlook.com (2603:10a6::1) by b.prod.outlook.com with HTTPS; now",
      "from c.prod.outlook.com (2603:10a6::2) by a.prod.outlook.com (2603::3) with Microsoft SMTP Server " +
        "(version=TLS1_2, cipher=Y) id 15; now",
      "from list.example.org (192.0.2.1) by mail.protection.outlook.com (10.0.0.1) with Microsoft SMTP Server " +
        "(version=TLS1_3, cipher=Z) id 15; now",
    ),
    "list.example.org > mail.protection.outlook.com: TLS 1.3",
  );
  equal(way("from mx.example.com ([10.1.2.3]) by store.other.net with ESMTP; now"), null);
  equal(way(), null);
});
